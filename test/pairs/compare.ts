/** A place where an answer differs from what was expected. */
export interface Finding {
  what: string;
  expected: unknown;
  got: unknown;
}

/** What one case came to. */
export interface Result {
  /** The case, as `PAIRS_CASE` takes it. */
  name: string;
  findings: Finding[];
  /** The reasons of the differences that were met and are allowed. */
  allowed: string[];
}

/** Scores are 32-bit floats, and a sum of them depends on its order. */
const TOLERANCE = 1e-4;

export const isClose = (one: number, other: number): boolean =>
  Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one), Math.abs(other));

/** Returns whether two JSON values are equal, except for the last digits of numbers. */
export function isAlike(one: unknown, other: unknown): boolean {
  if (isExplanation(one) && isExplanation(other)) return isAlike(inOrder(one), inOrder(other));
  if (typeof one === "number" && typeof other === "number") return isClose(one, other);
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  return (
    keys.length === others.length &&
    keys.every((key) => isAlike((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]))
  );
}

interface Explanation {
  value: number;
  description: string;
  details: Explanation[];
  isSorted?: true;
}

const isExplanation = (value: unknown): value is Explanation =>
  isObject(value) && "description" in value && "details" in value && !("isSorted" in value);

/**
 * Returns an explanation whose terms are in one order, also in the queries that it quotes: that of a query's tokens means nothing,
 * and neither does whether a filter stands in another one.
 */
const inOrder = ({ value, description, details }: Explanation): Explanation => ({
  value,
  description: description
    .replaceAll("#", " ")
    .split(/[\s()]+/)
    .sort()
    .join(" "),
  details: details.toSorted((a, b) => a.value - b.value || (a.description < b.description ? -1 : 1)),
  isSorted: true,
});

/** Returns the first place where two values that should be alike differ, if they do. */
export function difference(what: string, expected: unknown, got: unknown): Finding[] {
  if (isAlike(expected, got)) return [];
  const isDeep = isObject(expected) && isObject(got) && Object.keys({ ...expected, ...got }).length < 1_000;
  const names = isDeep ? Object.keys({ ...expected, ...got }) : [];
  const differing = names.find((name) => !isAlike(member(expected, name), member(got, name)));
  if (differing === undefined) return [{ what, expected, got }];
  return difference(`${what}.${differing}`, member(expected, differing), member(got, differing));
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const member = (value: unknown, name: string): unknown => (value as Record<string, unknown> | undefined)?.[name];

export interface Hit {
  _index?: string;
  _id?: string;
  _score: number | null;
  sort?: unknown[];
  [member: string]: unknown;
}

const idOf = ({ _index, _id }: Hit): string => `${_index} ${_id}`;

/**
 * Compares a page of hits with the whole list, from `from` on. Hits of one score may change places, and one of them may
 * stand for another at the end of the page.
 */
export function compareHits(
  list: readonly Hit[],
  got: readonly Hit[],
  { from, size }: { from: number; size: number },
): Finding[] {
  const expected = list.slice(from, from + size);
  if (got.length !== expected.length) {
    return [{ what: "hits", expected: expected.map(short), got: got.map(short) }];
  }
  const rankOf = (hit: Hit) => JSON.stringify(hit.sort ?? null);
  const wrong = got.findIndex((hit, at) => {
    const place = expected[at];
    if (!place || !isAlike(place._score, hit._score) || rankOf(place) !== rankOf(hit)) return true;
    // Hits without an id cannot be told apart.
    if (hit._id === undefined) return !list.some((other) => isAlike(other, hit));
    const same = list.find((other) => idOf(other) === idOf(hit));
    return !same || !isAlike(same, hit);
  });
  const isTwice = new Set(got.map(idOf)).size < got.length && got.every(({ _id }) => _id !== undefined);
  if (wrong < 0 && !isTwice) return [];
  const [place, hit] = [expected[wrong], got[wrong]];
  const same = hit && (hit._id === undefined ? place : list.find((other) => idOf(other) === idOf(hit)));
  const isMoved = !same || !isAlike(same._score, place?._score) || rankOf(same) !== rankOf(place ?? same);
  if (isMoved || !isAlike(same._score, hit?._score))
    return [{ what: "hits", expected: expected.map(short), got: got.map(short) }];
  return difference(`hit ${hit?._id}`, same, hit);
}

const short = (hit: Hit): string => `${hit._id}:${hit.sort ? JSON.stringify(hit.sort) : ""} ${hit._score}`;
