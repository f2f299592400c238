/** The longest delay of a timer, in milliseconds. Source: `setTimeout`, Node.js documentation. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs an operation and rejects with the error of `late` after `ms` milliseconds, aborting the signal. The race covers
 * what the signal alone does not: an SDK that is still resolving credentials, or an answer whose body never comes.
 */
export async function withTimeout<T>(
  ms: number,
  operation: (signal: AbortSignal) => Promise<T>,
  late: () => Error,
): Promise<T> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        // Reject before aborting: the operation's own AbortError must not win the race.
        reject(late());
        abort.abort();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
  });
  try {
    return await Promise.race([operation(abort.signal), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
