/** A letter or digit of any script. */
const WORD = /[\p{L}\p{N}]+/gu;

/** Accents of Latin, Greek and Cyrillic letters. Marks of other scripts tell words apart. */
const ACCENTS = /[\u0300-\u036f]/g;

/** Texts that are their own words but for case, blanks and punctuation; most are. */
const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[a-z0-9]+/g;

/** Returns the words of a text without case, accents and punctuation, as people type them. */
export function wordsOf(text: string): string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  return text.normalize("NFKD").replace(ACCENTS, "").normalize("NFC").toLowerCase().match(WORD) ?? [];
}
