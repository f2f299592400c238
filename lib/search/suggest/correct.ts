import { shownText, textKey, type Word, wordsIn } from "../../platform/words.ts";
import { nearest } from "../../settings/nearest.ts";
import { nativeSearch } from "../page/answer.ts";
import { FORGIVEN, type SuggestionQuery, withinBounds } from "./ask.ts";
import { suggestionsAlias } from "./name.ts";

/** Spelling suggestion for an empty result. */
export interface OtherText {
  text: string;
  /** The words that no suggestion contains together with the others. */
  left_out: string[];
}

/** The most suggestions to compare: those with most of the words. */
const COMPARED = 20;

/**
 * Returns a text that has hits, for one that has none: its words as a suggestion spells them, without words that the
 * suggestion lacks. Undefined if no suggestion is similar. Throws if not all suggestions were searched.
 */
export async function otherTextFor({
  cluster,
  deadline,
  index,
  text,
  bounds,
  isNever,
}: Omit<SuggestionQuery, "size">): Promise<OtherText | undefined> {
  const match = { match: { "text.words": { query: shownText(text), operator: "or", ...FORGIVEN } } };
  const body = {
    size: COMPARED,
    track_total_hits: false,
    _source: ["text"],
    query: withinBounds(match, bounds),
    sort: ["_score", { weight: "desc" }],
  };
  const { hits, partial } = await nativeSearch(cluster, deadline, suggestionsAlias(index), JSON.stringify(body), {
    timeout: undefined,
  });
  const [lacking] = partial;
  if (lacking) throw new Error(lacking.reason);
  const typed = wordsIn(text);
  let best: OtherText | undefined;
  for (const { _source } of hits) {
    const suggested = _source?.text;
    if (typeof suggested !== "string" || isNever(suggested)) continue;
    const words = new Map(wordsIn(suggested).map((one) => [one.word, shownIn(suggested, one)]));
    const found = typed.map(({ word }) => words.get(nearest(word, words.keys()) ?? ""));
    const other = {
      text: found.reduce<string>((before, word, at) => before + (word ? gap(typed, at, before) + word : ""), ""),
      left_out: typed.flatMap((one, at) => (found[at] === undefined ? [shownIn(text, one)] : [])),
    };
    // Half of the words, or fewer, are another search: "low" is not what somebody meant who typed "high low".
    if (other.left_out.length * 2 >= typed.length || textKey(other.text) === textKey(text)) continue;
    if (!best || other.left_out.length < best.left_out.length) best = other;
  }
  return best;
}

/** Returns what stands between words: nothing where the typed text has nothing, as in scripts without blanks. */
const gap = (typed: readonly Word[], at: number, before: string): string =>
  before === "" || typed[at]?.start === typed[at - 1]?.end ? "" : " ";

const shownIn = (text: string, { start, end }: Word): string => shownText(text.slice(start, end)).toLowerCase();
