/** A letter or digit of any script. */
const WORD = /[\p{L}\p{N}]+/gu;

/** Accents of Latin, Greek and Cyrillic letters. Marks of other scripts tell words apart. */
const ACCENTS = /[\u0300-\u036f]/g;

/** Returns the words of a text without case, accents and punctuation, as people type them. */
export const wordsOf = (text: string): string[] =>
  text.normalize("NFKD").replace(ACCENTS, "").normalize("NFC").toLowerCase().match(WORD) ?? [];
