import { setTimeout as sleep } from "node:timers/promises";
import { LocalError } from "./error.ts";

/** Options of {@link waitFor}. */
export interface WaitOptions {
  /** Completes the sentence "gave up waiting for …". */
  what: string;
  timeoutMs: number;
  /** Between two tries; default 100. */
  intervalMs?: number;
  /** When this settles the wait is over: its rejection is thrown. For a server that died. */
  abort?: Promise<never>;
  /** Added to the message of a wait that ran out of time, for example the tail of a log. */
  context?: () => string;
}

/**
 * Calls `probe` until it gives something other than undefined or false, and returns that. A probe that throws is tried
 * again. Throws LocalError with the last error when the time is over; a probe that hangs does not extend the wait.
 */
export async function waitFor<T>(probe: () => Promise<T | undefined | false>, options: WaitOptions): Promise<T> {
  const { what, timeoutMs, intervalMs = 100, abort, context } = options;
  let lastError: unknown;
  const timer = new AbortController();

  const poll = async (): Promise<T> => {
    for (;;) {
      try {
        const found = await probe();
        if (found !== undefined && found !== false) return found;
      } catch (error) {
        lastError = error;
      }
      // Throws when the wait is over, and so ends the loop.
      await sleep(intervalMs, undefined, { signal: timer.signal });
    }
  };
  const polling = poll();
  // Whichever loses the race below may still reject; nobody listens to it then.
  polling.catch(() => {});

  const giveUp = sleep(timeoutMs, undefined, { signal: timer.signal }).then((): never => {
    const last = lastError === undefined ? "" : `; last error: ${describe(lastError)}`;
    const more = context?.();
    throw new LocalError(`gave up waiting for ${what} after ${timeoutMs / 1000} s${last}${more ? `\n${more}` : ""}`, {
      cause: lastError,
    });
  });
  giveUp.catch(() => {});

  try {
    return await Promise.race(abort ? [polling, giveUp, abort] : [polling, giveUp]);
  } finally {
    timer.abort();
  }
}

/** An error's message with that of its cause: `fetch` hides "connection refused" there. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return `${error.message} (${cause.message || (cause as NodeJS.ErrnoException).code || cause.name})`;
}
