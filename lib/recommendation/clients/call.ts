import { setTimeout as sleep } from "node:timers/promises";
import type { Deadline } from "../../core/resilience/deadline.ts";
import { backoff, MAX_ATTEMPTS, retry } from "../../core/resilience/retry.ts";
import { CallTimeout, isRetryable } from "./failure.ts";

/** Limits of a call to an AWS service. */
export interface CallLimits {
  deadline: Deadline;
  /** Of one attempt, in milliseconds. */
  timeoutMs: number;
  /** Replaced in tests so that nothing sleeps. */
  wait?: (ms: number) => Promise<unknown>;
}

/** The earlier of a deadline and `ms` milliseconds from now. */
export function atMost(deadline: Deadline, ms: number, now: () => number = () => performance.now()): Deadline {
  const end = now() + ms;
  return { remaining: () => Math.max(0, Math.min(deadline.remaining(), end - now())) };
}

/**
 * Runs an operation that may be repeated without harm: throttling, a server's error and a broken connection are tried
 * again, at most three attempts, all inside the deadline. Throws the last error, or CallTimeout.
 */
export function call<T>(limits: CallLimits, operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { deadline, wait } = limits;
  return retry(() => attempt(limits, operation), { deadline, retryable: isRetryable, ...(wait && { wait }) });
}

/** Runs an operation once, and aborts it when its time is over. The race also ends what does not mind the signal. */
export async function attempt<T>(limits: CallLimits, operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ms = Math.min(limits.timeoutMs, limits.deadline.remaining());
  if (ms < 1) throw new CallTimeout("no time was left for the call");
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // Rejected before the abort, whose own error must not win the race.
      reject(new CallTimeout(`no answer within ${Math.round(ms)} ms`));
      abort.abort();
    }, ms);
  });
  try {
    return await Promise.race([operation(abort.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What was not taken in the end, and the last error when calls failed as a whole. */
export interface Left<T> {
  left: readonly T[];
  error: unknown;
}

/**
 * For calls that take many entries and may leave some: sends what is left until nothing is, or three calls in a row
 * have brought nothing, or the time is over. `send` gives the entries that were not taken. Entries may be sent twice.
 */
export async function untilTaken<T>(
  entries: readonly T[],
  limits: CallLimits,
  send: (entries: readonly T[], signal: AbortSignal) => Promise<readonly T[]>,
): Promise<Left<T>> {
  const { deadline, wait = sleep } = limits;
  let left = entries;
  let error: unknown;
  for (let fruitless = 0; left.length > 0; ) {
    const sent = left;
    try {
      left = await attempt(limits, (signal) => send(sent, signal));
      error = undefined;
    } catch (thrown) {
      error = thrown;
      if (!isRetryable(thrown)) break;
    }
    fruitless = left.length < sent.length ? 0 : fruitless + 1;
    if (left.length === 0 || fruitless >= MAX_ATTEMPTS) break;
    const delay = backoff(fruitless);
    if (delay >= deadline.remaining()) break;
    await wait(delay);
  }
  return { left, error };
}

/** Cuts a list into parts of at most `size`. */
export function chunks<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

/** Makes a value by the first call and keeps it; a failure is not kept. */
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
