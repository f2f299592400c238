import { compareHits, type Finding, type Hit, isClose } from "../compare.ts";

/** The settings of ranking in every case. */
export const RANKING = { weight: 0.4, window: 8 } as const;

/**
 * Compares a page that was ranked for a user by the formula of the guide. The campaign of the tests reverses the window.
 * Below the window hits are in search order, and their scores keep falling.
 */
export function personalOrder(
  list: readonly Hit[],
  got: readonly Hit[],
  page: { from: number; size: number },
): Finding[] {
  const { weight, window } = RANKING;
  const inWindow = list.slice(0, window).map((hit, at, { length }) => {
    const score = (1 - weight) / Math.log2(at + 2) + weight / Math.log2(length - at + 1);
    return { ...hit, _score: score };
  });
  const below = list.slice(window);
  const ranked = inWindow.toSorted((a, b) => b._score - a._score);
  const scores = got.map(({ _score }) => _score ?? 0);
  const falls = scores.every((score, at) => at === 0 || score <= (scores[at - 1] ?? 0) + 1e-9);
  const whole: Hit[] = [...ranked, ...below].map((hit, at) => {
    // The guide does not say how far the scores below the window fall.
    const shown = got[at - page.from];
    return at >= window && shown ? { ...hit, _score: shown._score } : hit;
  });
  const rise =
    falls &&
    scores.every((score, at) => page.from + at < window || score < (ranked.at(-1)?._score ?? 1) || isClose(score, 0));
  return [
    ...compareHits(whole, got, page),
    ...(rise ? [] : [{ what: "scores of a ranking", expected: "falling", got: scores }]),
  ];
}
