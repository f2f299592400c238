/** Formats a score with three significant digits. */
export const shownScore = (score: number): string => (score === 0 ? "0" : Number(score.toPrecision(3)).toString());
