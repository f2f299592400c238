import { setTimeout as sleep } from "node:timers/promises";
import { LocalError } from "./error.ts";

/**
 * Returns a limit in milliseconds, multiplied by the variable RELEVANCE_PATIENCE (default: 1). On a machine that is shared
 * with others, everything can take several times longer than the limits expect.
 */
export const patient = (ms: number): number => ms * (Number(process.env.RELEVANCE_PATIENCE) || 1);

/** Options of {@link waitFor}. */
export interface WaitOptions {
  /** Completes the sentence "gave up waiting for …". */
  what: string;
  /** The limit, before {@link patient}. */
  timeoutMs: number;
  /** Time between two attempts. Default: 100. */
  intervalMs?: number;
  /** When this rejects, for example because a server died, the wait ends with its error. */
  abort?: Promise<never>;
  /** Returns text to add to the timeout message, for example the tail of a log. */
  context?: () => string;
}

/**
 * Polls `probe` until it returns something other than undefined or false, and returns that. Retries if it throws.
 * Throws LocalError with the last error on timeout. A probe that hangs does not extend the wait.
 */
export async function waitFor<T>(probe: () => Promise<T | undefined | false>, options: WaitOptions): Promise<T> {
  const { what, intervalMs = 100, abort, context } = options;
  const timeoutMs = patient(options.timeoutMs);
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
      // Throws when the wait is over, which ends the loop.
      await sleep(intervalMs, undefined, { signal: timer.signal });
    }
  };
  const polling = poll();
  // The promises that lose the race below may still reject, and nothing awaits them.
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

/** Returns an error's message with its cause, in which `fetch` hides "connection refused". */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return `${error.message} (${cause.message || (cause as NodeJS.ErrnoException).code || cause.name})`;
}
