import { setTimeout as sleep } from "node:timers/promises";
import type { Deadline } from "./deadline.ts";

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
