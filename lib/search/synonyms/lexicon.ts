import { type Word, wordsIn, wordsOf } from "../../platform/words.ts";
import { MAX_ALTERNATIVES, readRule } from "../../settings/synonyms.ts";

/** A text to search for instead of another one. */
interface Alternative {
  text: string;
  /** Its normalized words, joined by blanks. */
  key: string;
  words: number;
}

/** The rules of one list, by first word. */
export interface Lexicon {
  /** Alternatives by the normalized words of a text. They may include the text itself. */
  alternatives: ReadonlyMap<string, readonly Alternative[]>;
  /** The most words of a text that starts with this word. */
  longest: ReadonlyMap<string, number>;
}

/** A span of a text, from `start` to `end`, that has synonyms, and its alternatives. */
export interface Span {
  start: number;
  end: number;
  alternatives: readonly Alternative[];
}

/** Returns the lexicon of rules in Solr's form, which were checked before. */
export function lexiconOf(rules: readonly string[]): Lexicon {
  const alternatives = new Map<string, readonly Alternative[]>();
  const longest = new Map<string, number>();
  for (const line of rules) {
    const { from, to } = readRule(line);
    const all = to.map(alternativeOf);
    // The text itself may be one of them.
    const others = distinct(all).slice(0, MAX_ALTERNATIVES + 1);
    for (const { key, words } of from === to ? all : from.map(alternativeOf)) {
      const first = key.split(" ", 1)[0] ?? "";
      if ((longest.get(first) ?? 0) < words) longest.set(first, words);
      const known = alternatives.get(key);
      // Texts of one rule share a list; lookups skip the text itself. Copies would take most of the time.
      if (!known) alternatives.set(key, others);
      else if (known.length <= MAX_ALTERNATIVES) {
        alternatives.set(key, distinct([...known, ...others]).slice(0, MAX_ALTERNATIVES + 1));
      }
    }
  }
  return { alternatives, longest };
}

function alternativeOf(text: string): Alternative {
  const words = wordsOf(text);
  return { text, key: words.join(" "), words: words.length };
}

/** Returns the alternatives with distinct words, other than those of the key. */
function distinct(all: readonly Alternative[], key?: string): Alternative[] {
  const seen = new Set([key]);
  return all.filter((one) => !seen.has(one.key) && seen.add(one.key));
}

/**
 * Returns the spans of a text that have synonyms: from left to right, the longest sequences in a lexicon, without
 * overlap. Each sequence is looked up by its words, so the time does not grow with the lists.
 */
export function spansOf(text: string, lexicons: readonly Lexicon[]): Span[] {
  const words = wordsIn(text);
  const spans: Span[] = [];
  for (let at = 0; at < words.length; ) {
    const found = longestAt(words, at, lexicons);
    const [first, last] = [words[at], words[at + (found?.length ?? 1) - 1]];
    if (found && first && last) spans.push({ start: first.start, end: last.end, alternatives: found.alternatives });
    at += found?.length ?? 1;
  }
  return spans;
}

function longestAt(words: readonly Word[], at: number, lexicons: readonly Lexicon[]) {
  const first = words[at]?.word ?? "";
  const most = Math.max(...lexicons.map(({ longest }) => longest.get(first) ?? 0));
  for (let length = Math.min(most, words.length - at); length > 0; length -= 1) {
    const key = words
      .slice(at, at + length)
      .map(({ word }) => word)
      .join(" ");
    const found = lexicons.flatMap(({ alternatives }) => alternatives.get(key) ?? []);
    const others = distinct(found, key).slice(0, MAX_ALTERNATIVES);
    if (others.length > 0) return { length, alternatives: others };
  }
  return undefined;
}
