import { setTimeout as sleep } from "node:timers/promises";

/** The remaining time of a request. Every upstream call gets a timeout below it. */
export interface Deadline {
  /** Returns the remaining milliseconds, never a negative number. */
  remaining(): number;
}

/** The part of Lambda's context that handlers use. */
export interface Invocation {
  getRemainingTimeInMillis(): number;
}

/** Returns a deadline `ms` milliseconds from now, on the monotonic clock. */
export function deadlineIn(ms: number, now: () => number = () => performance.now()): Deadline {
  const end = now() + ms;
  return { remaining: () => Math.max(0, end - now()) };
}

/** Returns a deadline `ms` milliseconds from now, or the remaining time of `outer` if that is shorter. */
export function deadlineWithin(ms: number, outer?: Deadline): Deadline {
  return deadlineIn(Math.min(ms, outer?.remaining() ?? ms));
}

/** Returns options that abort a call to AWS at a deadline. Without them, the SDK waits forever. */
export function abortAt(deadline: Deadline): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(Math.ceil(deadline.remaining())) };
}

/** Returns the deadline that ends `ms` milliseconds before another one. */
export function earlier(deadline: Deadline, ms: number): Deadline {
  return { remaining: () => Math.max(0, deadline.remaining() - ms) };
}

/** The longest delay of a timer, in milliseconds; a longer one fires at once. Source: `setTimeout`, Node.js documentation. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

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

/** Attempts of one upstream call, including the first. */
export const MAX_ATTEMPTS = 3;

const BASE_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;

export interface RetryOptions {
  deadline: Deadline;
  /** Returns whether to retry after this error. */
  retryable: (error: unknown) => boolean;
  attempts?: number;
  /** Replaced in tests so that nothing sleeps. */
  wait?: (ms: number) => Promise<unknown>;
}

/**
 * Returns a delay with full jitter, drawn evenly from [0, min(2 s, 100 ms · 2^attempt)).
 * Source: "Exponential Backoff And Jitter", AWS Architecture Blog.
 */
export function backoff(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** attempt);
}

/** Retries `operation` until it succeeds. Throws its error if that is not retryable, or if attempts or time run out. */
export async function retry<T>(operation: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { deadline, retryable, attempts = MAX_ATTEMPTS, wait = sleep } = options;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await operation(attempt);
    } catch (error) {
      const delay = backoff(attempt);
      if (attempt + 1 >= attempts || !retryable(error) || delay >= deadline.remaining()) throw error;
      await wait(delay);
    }
  }
}
