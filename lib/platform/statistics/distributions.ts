/**
 * Returns the probability that a standard normal variable exceeds `z`. Relative error below 1.2e-7. Source: Press et
 * al., Numerical Recipes (2nd edition), `erfcc`.
 */
export function normalTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + x / 2);
  const series = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ].reduceRight((sum, coefficient) => coefficient + t * sum, 0);
  const tail = (t * Math.exp(-x * x + series)) / 2;
  return z >= 0 ? tail : 1 - tail;
}

/** Returns the `z` that a standard normal variable exceeds with a probability between 0 and 1. */
export function normalQuantile(tail: number): number {
  let low = -40;
  let high = 40;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (normalTail(middle) > tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Returns the probability that a chi-squared variable exceeds `value`. Source: Abramowitz and Stegun, 26.4.4 and 26.4.5,
 * the finite sums for whole degrees of freedom.
 */
export function chiSquaredTail(value: number, degrees: number): number {
  if (!(value > 0)) return 1;
  const isOdd = degrees % 2 === 1;
  let sum = isOdd ? 2 * normalTail(Math.sqrt(value)) : Math.exp(-value / 2);
  let term = isOdd ? Math.sqrt((2 * value) / Math.PI) * Math.exp(-value / 2) : (Math.exp(-value / 2) * value) / 2;
  for (let n = isOdd ? 3 : 4; n <= degrees; n += 2) {
    sum += term;
    term *= value / n;
  }
  return Math.min(1, sum);
}
