import type { Placement } from "../../settings/placements.ts";
import type { Candidate, Candidates } from "./candidates/candidates.ts";
import { valuesOf } from "./candidates/item-record.ts";
import { slotsOf } from "./quota.ts";

/** Number of candidates among which maximal marginal relevance chooses the next item. */
const WINDOW = 100;

/** An item of the list. */
export interface Arranged extends Candidate {
  /** Name of the promotion that put the item into the list. */
  promotion: string | undefined;
  /** Whether maximal marginal relevance preferred it to items of a better rank. */
  isMoved: boolean;
}

interface ListPlan extends Pick<Placement, "limit" | "diversity"> {
  promotions: readonly { name: string; percent: number; candidates: Candidates }[];
  ordinary: () => Candidates;
}

/**
 * Makes the list. First chooses as many promoted items as their shares of the list allow, then fills the other slots in
 * order. A slot whose promotion has no item left is filled like any other. If no other item is left, the remaining
 * promoted items end the list.
 */
export async function arrange({ limit, diversity, promotions, ordinary }: ListPlan): Promise<Arranged[]> {
  const isChosen = promotions.length > 0 || diversity.category || diversity.marginal_relevance;
  if (!isChosen) return firstOf(ordinary(), limit);
  const categories = countCategories(diversity.category);
  const slots = slotsOf(
    limit,
    promotions.map(({ percent }) => percent),
  );
  const promoted: Arranged[][] = [];
  for (const [index, { name, candidates }] of promotions.entries()) {
    const count = slots.filter((slot) => slot === index).length;
    const chosen: Arranged[] = [];
    while (chosen.length < count) {
      const [next] = await candidates.next(1);
      if (!next) break;
      if (categories.take(next)) {
        candidates.take(next);
        chosen.push({ ...next, promotion: name, isMoved: false });
      } else candidates.drop(next);
    }
    promoted.push(chosen);
  }

  const list: Arranged[] = [];
  const others = ordinary();
  const relevance = diversity.marginal_relevance && marginalRelevance(diversity.marginal_relevance);
  for (const slot of slots) {
    const next =
      (slot === undefined ? undefined : promoted[slot]?.shift()) ??
      (await nextOrdinary(others, list, categories, relevance));
    if (!next) break;
    list.push(next);
  }
  return [...list, ...promoted.flat()].slice(0, limit);
}

/** Returns the first items. If no diversity setting chooses among them, reads all at once. */
async function firstOf(candidates: Candidates, limit: number): Promise<Arranged[]> {
  const list: Arranged[] = [];
  while (list.length < limit) {
    const window = await candidates.next(limit - list.length);
    if (window.length === 0) break;
    for (const candidate of window) {
      candidates.take(candidate);
      list.push({ ...candidate, promotion: undefined, isMoved: false });
    }
  }
  return list;
}

type Categories = ReturnType<typeof countCategories>;

async function nextOrdinary(
  candidates: Candidates,
  list: readonly Arranged[],
  categories: Categories,
  relevance: ReturnType<typeof marginalRelevance> | undefined,
): Promise<Arranged | undefined> {
  for (;;) {
    const window = await candidates.next(relevance ? WINDOW : 1);
    if (window.length === 0) return undefined;
    const allowed = window.filter((candidate) => {
      const fits = categories.has(candidate);
      if (!fits) candidates.drop(candidate);
      return fits;
    });
    const best = relevance ? relevance(allowed, list) : allowed[0];
    if (!best) continue;
    categories.take(best);
    candidates.take(best);
    return { ...best, promotion: undefined, isMoved: best !== allowed[0] };
  }
}

/**
 * Returns a function that chooses the candidate which is best by rank and by how little it resembles the item most like it
 * in the list: maximal marginal relevance (Carbonell and Goldstein, 1998). Of equally good ones, it returns the first. The
 * list may only grow between calls, so that each pair of items is compared once.
 */
function marginalRelevance({ column, weight }: { column: string; weight: number }) {
  const known = new Map<string, { values: ReadonlySet<string>; compared: number; alike: number }>();
  return (candidates: readonly Candidate[], list: readonly Candidate[]): Candidate | undefined => {
    const listed = list.map(({ record }) => valuesOf(record, column));
    let best: { candidate: Candidate; score: number } | undefined;
    for (const [rank, candidate] of candidates.entries()) {
      const entry = known.get(candidate.id) ?? { values: valuesOf(candidate.record, column), compared: 0, alike: 0 };
      known.set(candidate.id, entry);
      for (const values of listed.slice(entry.compared)) {
        entry.alike = Math.max(entry.alike, similarity(entry.values, values));
      }
      entry.compared = listed.length;
      const score = (1 - weight) * (1 - rank / candidates.length) - weight * entry.alike;
      if (best === undefined || score > best.score) best = { candidate, score };
    }
    return best?.candidate;
  };
}

/** Returns the share of values that two items have in common (Jaccard); 0 without any. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((value) => b.has(value)).length;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}

/** Counts the items of each category. An item of several categories counts for each. */
function countCategories(limits: Placement["diversity"]["category"]) {
  const counts = new Map<string, number>();
  const valuesIn = ({ record }: Candidate) => (limits ? [...valuesOf(record, limits.column)] : []);
  const has = (candidate: Candidate) =>
    valuesIn(candidate).every((value) => (counts.get(value) ?? 0) < (limits?.most ?? 0));
  return {
    /** Returns whether the category limits allow another item like this one. */
    has,
    /** Counts an item if the category limits allow it. */
    take(candidate: Candidate): boolean {
      const fits = has(candidate);
      if (fits) for (const value of valuesIn(candidate)) counts.set(value, (counts.get(value) ?? 0) + 1);
      return fits;
    },
  };
}
