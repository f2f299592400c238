import { SUGGESTION_SOURCES, type SuggestionSource } from "../../platform/contract/search.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { shownText, wordsOf } from "../../platform/words.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import { nativeSearch } from "../page/answer.ts";
import { suggestionsAlias } from "./name.ts";
import type { SuggestionBounds } from "./within-token.ts";

/** A suggestion in an answer. */
export interface Suggested {
  text: string;
  source: SuggestionSource;
  /** Whether it matches the typed text only with typing errors. */
  is_corrected: boolean;
}

export interface SuggestionQuery {
  cluster: Cluster;
  deadline: Deadline;
  index: string;
  text: string;
  size: number;
  bounds: SuggestionBounds;
  isNever: (text: string) => boolean;
}

/** Allowed typing errors: one from four letters of a word on, two from eight. The first letter must be right. */
export const FORGIVEN = { fuzziness: "AUTO:4,8", prefix_length: 1, max_expansions: 50 };

/** Letters of a word in which an error is allowed. */
const FORGIVABLE = 4;

/** Number of exact suggestions from which fuzzy ones are not added. */
const ENOUGH = 3;

/** The most suggestions to compare in a fuzzy search, heaviest first. A short prefix may be close to many more. */
const COMPARED = 5_000;

/**
 * Returns the suggestions for a typed text: those whose words start with the typed ones, heaviest first. If there are
 * fewer than three, adds those that match with typing errors, fewest errors first.
 */
export async function suggestionsFor(asked: SuggestionQuery): Promise<Suggested[]> {
  const { text, size } = asked;
  const found = await completions(asked, {}, { sort: [{ weight: "desc" }] });
  const rest = size - found.length;
  if (rest <= 0 || found.length >= ENOUGH || wordsOf(text).every(({ length }) => length < FORGIVABLE)) return found;
  const known = new Set(found.map((one) => one.text));
  // A fuzzy search also finds exact matches.
  const corrected = await completions(asked, FORGIVEN, {
    terminate_after: COMPARED,
    sort: ["_score", { weight: "desc" }],
  });
  const more = corrected.filter((one) => !known.has(one.text)).slice(0, rest);
  return [...found, ...more.map((one) => ({ ...one, is_corrected: true }))];
}

/** Returns a query whose hits are suggestions that a caller may see. */
export function withinBounds(query: object, { sources, filters, areRepeated }: SuggestionBounds): object {
  const must = [query];
  const of = (wanted: readonly SuggestionSource[]) => [{ terms: { source: wanted } }];
  const once = areRepeated ? { must_not: [VALUES] } : {};
  if (!filters) {
    const isAll = !areRepeated && sources.length === SUGGESTION_SOURCES.length;
    return isAll ? query : { bool: { must, filter: of(sources), ...once } };
  }
  const searches = { bool: { filter: of(sources.filter((one) => one !== "titles")), ...once } };
  const titles = { bool: { filter: [...of(sources), VALUES, ...filters] } };
  return { bool: { must, filter: [{ bool: { should: [searches, titles] } }] } };
}

const VALUES = { exists: { field: "values" } };

async function completions(
  { cluster, deadline, index, text, size, bounds, isNever }: SuggestionQuery,
  forgiven: object,
  order: object,
): Promise<Suggested[]> {
  const match = { match: { text: { query: shownText(text), operator: "and", ...forgiven } } };
  const body = {
    size,
    track_total_hits: false,
    _source: ["text", "source"],
    query: withinBounds(match, bounds),
    ...(bounds.filters && { collapse: { field: "key" } }),
    ...order,
  };
  const { hits } = await nativeSearch(cluster, deadline, suggestionsAlias(index), JSON.stringify(body), {
    timeout: undefined,
  });
  return hits.flatMap(({ _source }): Suggested[] => {
    const { text: suggested, source } = _source ?? {};
    const known = SUGGESTION_SOURCES.find((one) => one === source);
    // The text may contain a word that has been excluded since the last build.
    if (typeof suggested !== "string" || !known || isNever(suggested)) return [];
    return [{ text: suggested, source: known, is_corrected: false }];
  });
}
