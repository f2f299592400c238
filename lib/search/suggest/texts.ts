/** The longest text that is suggested, in characters. */
export const MAX_SUGGESTED = 200;

/** Returns a normal form, equal for texts that are the same suggestion: without case, accents and repeated blanks. */
export function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/gu, " ").trim();
}

const wordsOf = (text: string): string[] => folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** Returns a test for texts that contain one of the words or phrases. Parts of words do not count. */
export function holdsAny(never: readonly string[]): (text: string) => boolean {
  const phrases = never.map((one) => wordsOf(one)).filter(({ length }) => length > 0);
  const byFirst = Map.groupBy(phrases, ([first = ""]) => first);
  return (text) => {
    if (byFirst.size === 0) return false;
    const words = wordsOf(text);
    return words.some((word, at) =>
      byFirst.get(word)?.some((phrase) => phrase.every((part, index) => words[at + index] === part)),
    );
  };
}
