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
