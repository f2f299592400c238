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
