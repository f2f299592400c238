/** A word of a text in the form by which words are compared, and where it stands. */
export interface Word {
  word: string;
  /** Start and end (exclusive) in the text, in UTF-16 units. */
  start: number;
  end: number;
}

/**
 * ICU's words: those of Unicode annex 29, which OpenSearch's tokenizer `standard` has too; by dictionaries where scripts have
 * no blanks. Made on first use, which takes 30 ms.
 */
let segmenter: Intl.Segmenter | undefined;

const ASCII = /^[\0-\x7f]*$/;

/**
 * Texts of ASCII and of letters of Latin, Greek and Cyrillic need no segmenter, which takes ten times as long. An underscore
 * joins words, a point joins letters and digits.
 */
const PLAIN = /^[\0-\x7f\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0388-\u03f5\u0400-\u0481\u048a-\u052f]*$/;
const [LETTER, PART] = ["[a-z\\u00c0-\\u052f]", "[\\w\\u00c0-\\u052f]"];
// Only the first of several underscores may begin a word, so that a row of them is read once.
const PLAIN_WORD = new RegExp(
  `(?:(?<!\\S)\\.(?=${LETTER}))?(?<!_)_*[a-z\\d\\u00c0-\\u052f]${PART}*` +
    `(?:(?:(?<=${LETTER})[.:](?=${LETTER})|(?<=\\d)[.,;](?=\\d))${PART}+)*(?:[#+]+(?!${PART}|[#+]))?`,
  "gi",
);

/** Signs that tell words apart, behind (`c#`, `c++`) or before (`.net`) the word. */
const SIGNS_BEHIND = /[#+]+(?![\p{L}\p{M}\p{N}_#+])/uy;
const POINT_BEFORE = /(?<!\S)\.$/;

/** Ends a word inside a segment: `d'eau` and `men's` are two words each. */
const APOSTROPHE = /['’＇ʼʻ׳״"]/;

const IS_WORD = /[\p{L}\p{N}\p{Emoji_Presentation}]/u;

/** Hyphens and joiners of layout, marks of direction, variants of signs, spaces without width. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;

/** Returns the words of a text, in order. */
export function wordsIn(text: string): Word[] {
  if (PLAIN.test(text)) {
    return Array.from(text.matchAll(PLAIN_WORD), ({ 0: found, index: start }) => ({
      ...{ word: folded(found), start, end: start + found.length },
    }));
  }
  const seen = text.replace(INVISIBLE, "");
  const words = segments(seen).map(([from, to]) => {
    const hasPoint = /\p{L}/u.test(seen.charAt(from)) && POINT_BEFORE.test(seen.slice(Math.max(0, from - 2), from));
    const start = hasPoint ? from - 1 : from;
    SIGNS_BEHIND.lastIndex = to;
    const end = SIGNS_BEHIND.test(seen) ? SIGNS_BEHIND.lastIndex : to;
    return { word: folded(seen.slice(start, end)), start, end };
  });
  if (seen.length === text.length) return words;
  const places = Array.from(text.matchAll(/\P{Default_Ignorable_Code_Point}/gu), ({ 0: { length }, index }) =>
    Array.from({ length }, (_, at) => index + at),
  ).flat();
  return words.map(({ word, start, end }) => ({ word, start: places[start] ?? 0, end: (places[end - 1] ?? 0) + 1 }));
}

/** Returns the start and end of each word in a text without invisible characters. */
function segments(text: string): Array<readonly [start: number, end: number]> {
  const found: Array<readonly [number, number]> = [];
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" });
  for (const { segment, index } of segmenter.segment(text)) {
    let start = index;
    for (const part of segment.split(APOSTROPHE)) {
      if (IS_WORD.test(part)) found.push([start, start + part.length]);
      start += part.length + 1;
    }
  }
  return found;
}

/** Returns the words of a text in the form by which they are compared. */
export function wordsOf(text: string): string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(PLAIN_WORD) ?? [];
  return wordsIn(text).map(({ word }) => word);
}

/** Returns a key that equal texts share: those of the same words. Texts without words are equal if they look the same. */
export const textKey = (text: string): string => wordsOf(text).join(" ") || folded(shownText(text));

/** Marks that spell no other word: accents of Latin and Greek, vowels of Arabic and Hebrew, hamza on alef, stress of Cyrillic. */
const ACCENTS = /(?<=[\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu;
const VOWELS =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]|(?<=\u0627)[\u0653-\u0655]/g;
const STRESS = /[\u0300-\u036f]/g;

/** Letters with an equal one into which Unicode does not decompose them, as OpenSearch's `asciifolding` and `arabic_normalization` have it. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ø: "o", ł: "l", đ: "d", æ: "ae", œ: "oe", ς: "σ", ё: "е" },
  ...{ "\u0671": "\u0627", "\u0649": "\u064a", "\u06cc": "\u064a", "\u06a9": "\u0643" },
};
const EQUAL_LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");
const ARABIC_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/g;

/** Returns a text without what does not tell words apart: case, width, composition, accents, invisible characters. */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .replace(INVISIBLE, "")
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .replace(VOWELS, "")
    .toUpperCase() // ß is SS, and a dotless ı is I.
    .toLowerCase()
    .normalize("NFC")
    .replace(STRESS, "")
    .replace(ARABIC_DIGIT, (digit) => String(digit.charCodeAt(0) & 15))
    .replace(EQUAL_LETTER, (letter) => LETTERS[letter] ?? letter);
}

/** Control and invisible characters, except joiners that shape letters of Arabic and Indic scripts and emoji. */
const UNSHOWN =
  /(?!\s|(?<=[\p{M}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Extended_Pictographic}])(?:\u200c|\u200d|\ufe0f))[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Returns a text as people see it: without control and invisible characters and repeated blanks. */
export const shownText = (text: string): string =>
  text.normalize("NFC").replace(UNSHOWN, "").replace(/\s+/gu, " ").trim();
