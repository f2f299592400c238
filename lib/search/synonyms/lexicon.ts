import { comparableWords, readRule, type Word, wordsOf } from "../../settings/synonyms.ts";

/** A text that a search tries in place of another one. */
interface Alternative {
  text: string;
  /** Its words in the form by which they are compared, joined by blanks. */
  key: string;
  words: number;
}

/** The rules of one list, by the words that they begin with. */
export interface Lexicon {
  /** Alternatives by the words of a text, joined by blanks; they may include the text itself, and some twice. */
  alternatives: ReadonlyMap<string, readonly Alternative[]>;
  /** The most words of a text that begins with this word. */
  longest: ReadonlyMap<string, number>;
}

/** Words of a text that have synonyms, from `start` to `end`, and what stands for them. */
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
    const others = to.map(alternativeOf);
    for (const { key, words } of from === to ? others : from.map(alternativeOf)) {
      const first = key.split(" ", 1)[0] ?? "";
      if ((longest.get(first) ?? 0) < words) longest.set(first, words);
      const known = alternatives.get(key);
      // Texts of one rule share a list, and a lookup leaves out what it looks for: copies would take most of the time.
      alternatives.set(key, known ? [...known, ...others] : others);
    }
  }
  return { alternatives, longest };
}

function alternativeOf(text: string): Alternative {
  const words = comparableWords(text);
  return { text, key: words.join(" "), words: words.length };
}

/** Returns alternatives of other words than those of a key, each once. */
function distinct(key: string, all: readonly Alternative[]): Alternative[] {
  const seen = new Set([key]);
  return all.filter((one) => !seen.has(one.key) && seen.add(one.key));
}

/**
 * Returns the words of a text that have synonyms: from left to right the longest sequences that are in a lexicon, none of which
 * overlaps another. Each sequence is looked up by its words, so that the time does not grow with the lists.
 */
export function spansOf(text: string, lexicons: readonly Lexicon[]): Span[] {
  const words = wordsOf(text);
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
    const others = distinct(key, found);
    if (others.length > 0) return { length, alternatives: others };
  }
  return undefined;
}
