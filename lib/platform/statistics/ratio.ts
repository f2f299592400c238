/** The sums by which one user, or another independent unit, counts in a ratio. */
export interface Part {
  sum: number;
  count: number;
}

/** A sum over a count, its standard error, and the number of units that it is of. */
export interface Ratio {
  value: number;
  error: number;
  units: number;
}

/**
 * Returns the sum over the count of all parts, and its standard error; NaN without parts. What belongs to one part
 * resembles one another, so the variance is that between parts, by the delta method (Deng, Knoblich and Lu, "Applying the
 * delta method in metric analytics", KDD 2018).
 */
export function ratioOf(parts: readonly Part[]): Ratio {
  const count = parts.reduce((total, part) => total + part.count, 0);
  const value = parts.reduce((total, part) => total + part.sum, 0) / count;
  const squares = parts.reduce((total, part) => total + (part.sum - value * part.count) ** 2, 0);
  const { length } = parts;
  return { value, error: Math.sqrt((squares * length) / Math.max(1, length - 1)) / count, units: length };
}
