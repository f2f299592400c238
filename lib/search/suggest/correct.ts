import { nearest } from "../../settings/nearest.ts";
import { nativeSearch } from "../page/answer.ts";
import { FORGIVEN, type SuggestionQuery } from "./ask.ts";
import { suggestionsAlias } from "./name.ts";
import { folded } from "./texts.ts";

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
  sources,
  isNever,
}: Omit<SuggestionQuery, "size">): Promise<OtherText | undefined> {
  const match = { match: { "text.words": { query: text, operator: "or", ...FORGIVEN } } };
  const body = {
    size: COMPARED,
    track_total_hits: false,
    _source: ["text"],
    query: { bool: { must: [match], filter: [{ terms: { source: sources } }] } },
    sort: ["_score", { weight: "desc" }],
  };
  const { hits, partial } = await nativeSearch({ cluster }, deadline, suggestionsAlias(index), JSON.stringify(body), {
    timeout: undefined,
  });
  const [lacking] = partial;
  if (lacking) throw new Error(lacking.reason);
  const typed = wordsOf(text);
  let best: OtherText | undefined;
  for (const { _source } of hits) {
    const suggested = _source?.text;
    if (typeof suggested !== "string" || isNever(suggested)) continue;
    const words = new Map(wordsOf(suggested).map((word) => [folded(word), word]));
    const found = typed.map((word) => words.get(nearest(folded(word), words.keys()) ?? ""));
    const other = {
      text: found.filter((word) => word !== undefined).join(" "),
      left_out: typed.filter((_, at) => found[at] === undefined),
    };
    if (other.text === "" || folded(other.text) === folded(typed.join(" "))) continue;
    if (!best || other.left_out.length < best.left_out.length) best = other;
  }
  return best;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
