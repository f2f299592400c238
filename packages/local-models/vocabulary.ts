import { readFileSync } from "node:fs";
import { random } from "@relevance/demo-data/random.ts";

/** A generated vocabulary: tokens in order of their IDs, and the weight of each in a query. */
export interface Vocabulary {
  tokens: readonly string[];
  weights: ReadonlyMap<string, number>;
}

/** Special tokens, with the IDs of the real vocabulary (BERT, uncased). */
const SPECIAL_TOKENS: Readonly<Record<number, string>> = {
  0: "[PAD]",
  100: "[UNK]",
  101: "[CLS]",
  102: "[SEP]",
  103: "[MASK]",
};
const FIRST_FREE_ID = 104;

export const SPECIAL_IDS = Object.keys(SPECIAL_TOKENS).map(Number);

const SYLLABLES = 700;
const CONSONANTS = [..."bcdfghjklmnprstvwz"];
const VOWELS = [..."aeiou"];

/**
 * Returns the 256 characters that represent bytes in byte-level tokenizers. Printable bytes represent themselves, the
 * others are moved to U+0100 and above. With all of them in the vocabulary, no text is unknown.
 * Source: `bytes_to_unicode` of GPT-2, which `ByteLevel` of Hugging Face tokenizers implements.
 */
function byteCharacters(): string[] {
  let moved = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    return String.fromCodePoint(printable ? byte : 256 + moved++);
  });
}

/**
 * Generates the vocabulary of the stand-in models: English words, endings and syllables, and every byte. The same seed
 * gives the same vocabulary. Weights follow the real table: function words weigh little, rare words much. Bytes outside
 * ASCII have no weight, because texts in one script share most of them. So a word of such bytes is not unknown, but it
 * is no sparse match either.
 */
export function generateVocabulary(seed = 1): Vocabulary {
  const chance = random(seed);
  const weights = new Map<string, number>();
  const add = (token: string, least: number, most: number) => {
    const weight = least + chance.next() * (most - least);
    if (!weights.has(token)) weights.set(token, Number(weight.toFixed(4)));
  };

  for (const [rank, word] of FUNCTION_WORDS.entries()) add(word, 0.25, 0.35 + rank / 100);
  for (const word of CONTENT_WORDS) add(word, 3, 5.5);
  for (const suffix of SUFFIXES) add(`##${suffix}`, 0.2, 0.4);
  for (let i = 0; i < SYLLABLES; i += 1) {
    const syllable = chance.pick(CONSONANTS) + chance.pick(VOWELS) + (i % 2 ? chance.pick(CONSONANTS) : "");
    add(syllable, 1.5, 2.5);
    add(`##${syllable}`, 1, 2);
  }
  const bytes = byteCharacters().flatMap((character) => [character, `##${character}`]);
  for (const character of bytes.filter((text) => /^(##)?[!-~]$/.test(text))) {
    if (/[0-9]$/.test(character)) add(character, 1, 2);
    else add(character, 0.2, 0.6);
  }

  const unused = Array.from({ length: FIRST_FREE_ID }, (_, id) => SPECIAL_TOKENS[id] ?? `[unused${id}]`);
  const tokens = new Set([...unused, ...weights.keys(), ...bytes]);
  return { tokens: [...tokens], weights };
}

/** Words with little meaning, most frequent first; then words with meaning. */
const [FUNCTION_WORDS = [], CONTENT_WORDS = []] = readFileSync(new URL("vocabulary.txt", import.meta.url), "utf8")
  .split("\n\n")
  .map((paragraph) => paragraph.trim().split(/\s+/));

/** English word endings. With them, "dragons" shares the token "dragon" and differs only a little. */
const SUFFIXES =
  "s es ed d ing er ers or ly y ies al ial ic ical ist ists ism ness less ful ment ments ion ions tion sion ation able ible ous ive ity th st nd rd ship hood like ward wards ward man men woman maker keeper house light work book land side time way one th".split(
    " ",
  );
