import { setTimeout as sleep } from "node:timers/promises";
import {
  abortAt,
  backoff,
  type Deadline,
  deadlineWithin,
  MAX_ATTEMPTS,
  retry,
  withTimeout,
} from "../resilience/deadline.ts";
import { CallTimeout, isTransient } from "./errors.ts";

/** Limits of a call to an AWS service. */
export interface CallLimits {
  deadline: Deadline;
  /** The timeout of one attempt, in milliseconds. */
  timeoutMs: number;
  /** Replaced in tests so that nothing sleeps. */
  wait?: (ms: number) => Promise<unknown>;
}

/**
 * Runs an idempotent operation and retries transient failures: at most three attempts, all within the deadline. Throws
 * the last error, or CallTimeout.
 */
export function call<T>(limits: CallLimits, operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { deadline, wait } = limits;
  return retry(() => attempt(limits, operation), { deadline, retryable: isTransient, ...(wait && { wait }) });
}

/** Runs an operation once. Throws CallTimeout and aborts the operation when it times out. */
export async function attempt<T>(limits: CallLimits, operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ms = Math.min(limits.timeoutMs, limits.deadline.remaining());
  if (ms < 1) throw new CallTimeout("no time was left for the call");
  return withTimeout(ms, operation, () => new CallTimeout(`no answer within ${Math.round(ms)} ms`));
}

/** The entries that a service did not accept, and the error of the last call if it failed as a whole. */
export interface Left<T> {
  left: readonly T[];
  error: unknown;
}

/**
 * Sends entries with calls that may accept only some of them. Resends the others until all are accepted, three calls in
 * a row accept nothing, or the time runs out. `send` returns the entries that were not accepted. An entry may be sent
 * twice.
 */
export async function retryUnprocessed<T>(
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
      if (!isTransient(thrown)) break;
    }
    fruitless = left.length < sent.length ? 0 : fruitless + 1;
    if (left.length === 0 || fruitless >= MAX_ATTEMPTS) break;
    const delay = backoff(fruitless);
    if (delay >= deadline.remaining()) break;
    await wait(delay);
  }
  return { left, error };
}

/** One call to AWS. The signal in its options aborts it at the deadline. */
export type Operation<T> = (options: { abortSignal: AbortSignal }) => Promise<T>;

/**
 * Returns what runs idempotent operations of a task that nobody waits for: each within `ms` milliseconds and `outer`, with
 * up to `attempts` attempts after transient failures. The client must have its own retries turned off.
 */
export function patientCalls(ms: number, attempts: number, outer?: Deadline) {
  return <T>(operation: Operation<T>): Promise<T> => {
    const deadline = deadlineWithin(ms, outer);
    return retry(() => operation(abortAt(deadline)), { deadline, retryable: isTransient, attempts });
  };
}

/** Groups values in their order. A group exceeds these limits only if its single value does. */
export function grouped<T>(
  values: readonly T[],
  sizeOf: (value: T) => number,
  most: { bytes: number; count: number },
): T[][] {
  const groups: T[][] = [];
  let size = 0;
  for (const value of values) {
    const last = groups.at(-1);
    const added = sizeOf(value);
    if (!last || last.length >= most.count || size + added > most.bytes) {
      groups.push([value]);
      size = added;
    } else {
      last.push(value);
      size += added;
    }
  }
  return groups;
}

/** Cuts a list into parts of at most `size`, the number of entries that one call accepts. */
export function chunks<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}
