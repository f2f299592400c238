/** Returns whether a 32-bit float can hold a number, though rounded: it becomes neither infinite nor zero. */
export function fitsFloat(value: number): boolean {
  const float = Math.fround(value);
  return Number.isFinite(float) && (float !== 0 || value === 0);
}
