import { createHash } from "node:crypto";
import type { Chunking } from "../../settings/passages.ts";

/** A part of a text, which begins and ends with a word. */
export interface Passage {
  text: string;
  /** Start and end (exclusive) in the text, in UTF-16 units. */
  start: number;
  end: number;
}

/** How the texts of a mapping are split. */
export interface Splitting extends Chunking {
  /** Whether four characters count as a token. Otherwise tokens are estimated word by word. */
  byCharacters: boolean;
}

/** Words, single punctuation marks, and single characters of scripts without spaces. Longer runs of letters are cut. */
const WORD = /\p{Script=Han}|[\p{L}\p{M}\p{N}]{1,64}|[^\s\p{L}\p{M}\p{N}]/gu;

const CHARACTERS_OF_A_TOKEN = 4;

/**
 * Letters per token in English words. docs/guides/passages.md has the error of this estimate, measured on BERT's
 * vocabulary.
 */
const LETTERS_OF_A_TOKEN = 5;

interface Word {
  start: number;
  end: number;
  tokens: number;
}

/** Returns the estimated tokens of a word. An English tokenizer makes one token of each foreign letter. */
const tokensOf = (word: string): number =>
  /^[\0-\x7f]+$/.test(word) ? Math.ceil(word.length / LETTERS_OF_A_TOKEN) : word.length;

/** Returns the words of a text, as many as passages can contain: a text can have millions. */
function wordsOf(text: string, { byCharacters, tokens: most, max_passages }: Splitting): Word[] {
  const words: Word[] = [];
  let [before, sum] = [0, 0];
  for (const { 0: word, index: start } of text.matchAll(WORD)) {
    const end = start + word.length;
    const tokens = byCharacters ? (end - before) / CHARACTERS_OF_A_TOKEN : tokensOf(word);
    words.push({ start, end, tokens });
    before = end;
    sum += Math.min(tokens, most);
    if (sum > (max_passages + 1) * most) break;
  }
  return words;
}

/** Returns whether a sentence or line ends with the word at `at`. */
function endsSentence(text: string, words: readonly Word[], at: number): boolean {
  const [word, next] = [words[at], words[at + 1]];
  if (!word || !next) return true;
  const gap = text.slice(word.end, next.start);
  const ending = text.slice(Math.max(0, word.end - 2), word.end);
  return gap.includes("\n") || /[。！？]$/.test(ending) || (gap !== "" && /[.!?]["')\]]?$/.test(ending));
}

/** Characters before a position that determine whether a passage ends there. */
const CONTEXT = 24;

/** Returns a hash of the characters before a position (FNV-1a). */
function rankOf(text: string, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = Math.max(0, end - CONTEXT); at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/**
 * Splits a text. A passage ends in the last third of its maximum length, after a sentence if possible. Among the
 * candidates, the position with the lowest hash of its preceding characters wins. This does not depend on earlier text,
 * so soon after a change, passages are the same as before it.
 */
export function passagesOf(text: string, splitting: Splitting): Passage[] {
  const { tokens, overlap, max_passages } = splitting;
  const words = wordsOf(text, splitting);
  const passages: Passage[] = [];
  let from = 0;
  while (from < words.length && passages.length < max_passages) {
    const to = from + lengthFrom(from);
    const [first, last] = [words[from], words[to - 1]] as [Word, Word];
    passages.push({ text: text.slice(first.start, last.end), start: first.start, end: last.end });
    if (to === words.length) break;
    let next = to;
    for (let sum = 0; next - 1 > from; next -= 1) {
      sum += words[next - 1]?.tokens ?? 0;
      if (sum > overlap) break;
    }
    from = next;
  }
  return passages;

  /** Returns the number of words of the passage that starts at a word. */
  function lengthFrom(start: number): number {
    const ends: number[] = [];
    let to = start;
    for (let sum = 0; to < words.length; to += 1) {
      sum += words[to]?.tokens ?? 0;
      if (sum > tokens) break;
      if (sum >= (tokens * 2) / 3) ends.push(to + 1);
    }
    if (to === words.length || ends.length === 0) return Math.max(1, to - start);
    const sentences = ends.filter((end) => endsSentence(text, words, end - 1));
    const rank = (end: number) => rankOf(text, words[end - 1]?.end ?? 0);
    const best = (sentences.length > 0 ? sentences : ends).reduce((a, b) => (rank(b) < rank(a) ? b : a));
    return best - start;
  }
}

/** Returns the hash of a passage and of the identity of its model. Its 16 characters are stored with each passage. */
export const hashOf = ({ text }: Pick<Passage, "text">, madeBy: string): string =>
  createHash("sha256").update(`${madeBy}\n${text}`).digest("base64url").slice(0, 16);
