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
