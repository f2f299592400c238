/** Returns a function that makes a value on its first call and keeps it. After a failure, the next call tries again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Returns a function that loads an SDK and makes its client on first use. After a failure, the next call tries again. */
export function lazyClient<Sdk, Client>(
  load: () => Promise<Sdk>,
  connect: (sdk: Sdk) => Client,
): () => Promise<readonly [Sdk, Client]> {
  return once(async () => {
    const sdk = await load();
    return [sdk, connect(sdk)] as const;
  });
}

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
