/**
 * Returns a function that reads a value and keeps it for as long as `msOf` says. A failed read changes nothing: the next
 * call reads again.
 */
export function expiring<T, Args extends unknown[]>(
  read: (...args: Args) => Promise<T>,
  msOf: (value: T) => number,
  now: () => number = () => performance.now(),
): (...args: Args) => Promise<T> {
  let kept: { value: T; until: number } | undefined;
  return async (...args) => {
    if (kept && now() < kept.until) return kept.value;
    const value = await read(...args);
    kept = { value, until: now() + msOf(value) };
    return value;
  };
}
