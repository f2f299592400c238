import { wordsOf } from "../../platform/words.ts";

/** The longest text that is suggested, in characters. */
export const MAX_SUGGESTED = 200;

/** Lower-case letters of Cyrillic, Greek and Armenian, each before the Latin one that it looks like (Unicode standard 39). */
const ALIKE = "аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwαaιiνvοoρpγyօoոnսuհhցg";
const LATIN = new Map(Array.from(ALIKE.matchAll(/(.)(.)/gu), ([, letter = "", latin = ""]) => [letter, latin]));
const OTHER = new RegExp(`[${[...LATIN.keys()].join("")}]`, "g");

/** Returns the words of a text as they look. */
const looksOf = (text: string) =>
  wordsOf(text).map((word) => word.replace(OTHER, (letter) => LATIN.get(letter) ?? letter));

/**
 * Returns a test for texts that contain one of the words or phrases, or what looks like it. Parts of words do not count.
 */
export function holdsAny(never: readonly string[]): (text: string) => boolean {
  const phrases = never.map((one) => looksOf(one)).filter(({ length }) => length > 0);
  const byFirst = Map.groupBy(phrases, ([first = ""]) => first);
  return (text) => {
    if (byFirst.size === 0) return false;
    const words = looksOf(text);
    return words.some((word, at) =>
      byFirst.get(word)?.some((phrase) => phrase.every((part, index) => words[at + index] === part)),
    );
  };
}
