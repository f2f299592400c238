/** The results of an operation over many values, in their order, `limit` at a time. The first failure ends it. */
export async function concurrently<T, R>(
  values: readonly T[],
  limit: number,
  operation: (value: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(values.length);
  let next = 0;
  let failed = false;
  const worker = async () => {
    for (let index = next++; index < values.length && !failed; index = next++) {
      try {
        results[index] = await operation(values[index] as T);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, values.length) }, worker));
  return results;
}
