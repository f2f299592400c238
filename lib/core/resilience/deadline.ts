/** The time a request may still take. Every upstream call gets a timeout below what is left. */
export interface Deadline {
  /** Milliseconds left, never negative. */
  remaining(): number;
}

/** A deadline `ms` milliseconds from now, on the monotonic clock. */
export function deadlineIn(ms: number, now: () => number = () => performance.now()): Deadline {
  const end = now() + ms;
  return { remaining: () => Math.max(0, end - now()) };
}

/** A deadline `ms` milliseconds from now, or when `outer` ends, which may be sooner. */
export function deadlineWithin(ms: number, outer?: Deadline): Deadline {
  return deadlineIn(Math.min(ms, outer?.remaining() ?? ms));
}

/** Ends a call to AWS when a deadline does: the SDK waits for an answer without end. */
export function abortAt(deadline: Deadline): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(Math.ceil(deadline.remaining())) };
}

/** The deadline that ends `ms` milliseconds before `deadline` does. */
export function earlier(deadline: Deadline, ms: number): Deadline {
  return { remaining: () => Math.max(0, deadline.remaining() - ms) };
}
