import { compareHits, type Finding, type Hit, isClose } from "../compare.ts";
import type { SearchRow } from "./dimensions.ts";

/** The settings of ranking in every case. */
export const RANKING = { weight: 0.4, window: 8 } as const;

/** The filter of the campaign of the tests, and values of its placeholder with which it leaves out each second item or so. */
export const FILTER_ARN = "arn:aws:personalize:eu-west-1:123456789012:filter/even";
export const FILTER_VALUES = { LAST: "even" } as const;

/** Returns whether the filter leaves out an item. */
export const isLeftOut = (id = ""): boolean => id.charCodeAt(id.length - 1) % 2 === 1;

/**
 * Compares a page that was ranked for a user by the formula of the guide. The campaign of the tests reverses the window.
 * Below the window hits are in search order, and their scores keep falling.
 */
export function personalOrder(
  list: readonly Hit[],
  got: readonly Hit[],
  page: { from: number; size: number },
  { ranking }: Pick<SearchRow, "ranking">,
): Finding[] {
  const { weight, window } = RANKING;
  const searched = list.slice(0, window);
  const known = searched.filter(({ _id }) => ranking !== "filtered" || !isLeftOut(_id)).toReversed();
  const inWindow = searched.map((hit, at, { length }) => {
    // What the filter leaves out ranks one place below all others for the user.
    const personal = known.includes(hit) ? known.indexOf(hit) + 1 : length + 1;
    return { ...hit, _score: (1 - weight) / Math.log2(at + 2) + weight / Math.log2(personal + 1) };
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
