import { parseRule, type Word, wordsOf } from "../../config/synonyms.ts";

/** A text that a search tries in place of another one. */
interface Alternative {
  text: string;
  words: number;
}

/** The rules of one list, by the words that they begin with. */
export interface Lexicon {
  /** Alternatives by the words of a text, joined by blanks. */
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

/** Returns the lexicon of rules in Solr's form. Ignores lines that are none, which `validate` reports. */
export function lexiconOf(rules: readonly string[]): Lexicon {
  const alternatives = new Map<string, Map<string, Alternative>>();
  const longest = new Map<string, number>();
  for (const line of rules) {
    const rule = parseRule(line);
    if (!rule || "problem" in rule) continue;
    const to = rule.to.map(keyed);
    for (const { key, words } of rule.from === rule.to ? to : rule.from.map(keyed)) {
      const first = words[0]?.word ?? "";
      longest.set(first, Math.max(longest.get(first) ?? 0, words.length));
      const known = alternatives.get(key) ?? new Map<string, Alternative>();
      alternatives.set(key, known);
      for (const other of to) {
        if (other.key !== key && !known.has(other.key)) {
          known.set(other.key, { text: other.text, words: other.words.length });
        }
      }
    }
  }
  return { alternatives: new Map([...alternatives].map(([key, known]) => [key, [...known.values()]])), longest };
}

const keyed = (text: string) => {
  const words = wordsOf(text);
  return { text, words, key: keyOf(words) };
};

const keyOf = (words: readonly Word[]) => words.map(({ word }) => word).join(" ");

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
    const key = keyOf(words.slice(at, at + length));
    const all = lexicons.flatMap(({ alternatives }) => alternatives.get(key) ?? []);
    const byWords = new Map(all.map((one) => [keyOf(wordsOf(one.text)), one]));
    if (byWords.size > 0) return { length, alternatives: [...byWords.values()] };
  }
  return undefined;
}
