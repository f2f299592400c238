import { SUGGESTION_SOURCES, type SuggestionSource } from "../../platform/contract/search.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import { nativeSearch } from "../run/answer.ts";
import { suggestionsAlias } from "./name.ts";
import { folded } from "./texts.ts";

/** A suggestion as an answer has it. */
export interface Suggested {
  text: string;
  source: SuggestionSource;
  /** Whether it begins as the typed text does only when typing errors are forgiven. */
  is_corrected: boolean;
}

export interface SuggestionQuery {
  cluster: Cluster;
  deadline: Deadline;
  index: string;
  text: string;
  size: number;
  sources: readonly SuggestionSource[];
  isNever: (text: string) => boolean;
}

/** Typing errors that are forgiven: one from four letters of a word on, two from eight. The first letter must be right. */
export const FORGIVEN = { fuzziness: "AUTO:4,8", prefix_length: 1, max_expansions: 50 };

/** A word of which an error is forgiven. */
const FORGIVABLE = /[^ ]{4}/u;

/** Suggestions from which on nobody needs to guess what was meant. */
const ENOUGH = 3;

/** The heaviest suggestions that are compared when errors are forgiven. Many more may be near a short beginning. */
const COMPARED = 5_000;

/**
 * Returns the suggestions for what somebody has typed so far: those whose words begin with the typed ones, heaviest first; and
 * if these are fewer than three, those whose words begin so but for typing errors, fewest errors first.
 */
export async function suggestionsFor(asked: SuggestionQuery): Promise<Suggested[]> {
  const { text, size } = asked;
  const found = await completions(asked, {}, { sort: [{ weight: "desc" }] });
  const rest = size - found.length;
  if (rest <= 0 || found.length >= ENOUGH || !FORGIVABLE.test(folded(text))) return found;
  const known = new Set(found.map((one) => one.text));
  // The search finds what begins as typed, too.
  const corrected = await completions(asked, FORGIVEN, {
    terminate_after: COMPARED,
    sort: ["_score", { weight: "desc" }],
  });
  const more = corrected.filter((one) => !known.has(one.text)).slice(0, rest);
  return [...found, ...more.map((one) => ({ ...one, is_corrected: true }))];
}

async function completions(
  { cluster, deadline, index, text, size, sources, isNever }: SuggestionQuery,
  forgiven: object,
  order: object,
): Promise<Suggested[]> {
  const match = { match: { text: { query: text, operator: "and", ...forgiven } } };
  const isAll = sources.length === SUGGESTION_SOURCES.length;
  const body = {
    size,
    track_total_hits: false,
    _source: ["text", "source"],
    query: isAll ? match : { bool: { must: [match], filter: [{ terms: { source: sources } }] } },
    ...order,
  };
  const { hits } = await nativeSearch({ cluster }, deadline, suggestionsAlias(index), JSON.stringify(body), {
    timeout: undefined,
  });
  return hits.flatMap(({ _source }): Suggested[] => {
    const { text: suggested, source } = _source ?? {};
    const known = SUGGESTION_SOURCES.find((one) => one === source);
    // A word that is never to be suggested since the last run.
    if (typeof suggested !== "string" || !known || isNever(suggested)) return [];
    return [{ text: suggested, source: known, is_corrected: false }];
  });
}
