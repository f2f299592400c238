/**
 * Runs an operation on each value, at most `limit` at a time, and returns the results in the order of the values.
 * Rejects with the first failure, after which no further operation starts.
 */
export async function concurrently<T, R>(
  values: readonly T[],
  limit: number,
  operation: (value: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(values.length);
  // All workers share one generator. A loop that throws closes it, which ends the loops of the other workers too.
  const entries = entriesOf(values);
  const worker = async () => {
    for (const [index, value] of entries) results[index] = await operation(value);
  };
  await Promise.all(Array.from({ length: Math.min(limit, values.length) }, worker));
  return results;
}

function* entriesOf<T>(values: readonly T[]) {
  yield* values.entries();
}

/**
 * Runs an operation on each value of a stream, at most `limit` at a time. Takes a value only when there is room for it.
 * Rejects with the first failure, when the operations in progress have ended.
 */
export async function eachConcurrently<T>(
  values: AsyncGenerator<T>,
  limit: number,
  operation: (value: T) => Promise<void>,
): Promise<void> {
  let failure: { error: unknown } | undefined;
  const worker = async () => {
    try {
      while (!failure) {
        const { done, value } = await values.next();
        if (done || failure) return;
        await operation(value);
      }
    } catch (error) {
      failure ??= { error };
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  await values.return(undefined);
  if (failure) throw failure.error;
}
