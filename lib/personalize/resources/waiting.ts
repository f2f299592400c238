import { setTimeout as sleep } from "node:timers/promises";
import { ManagerError, StillGoingOn } from "./manager-error.ts";

/** How the manager waits. Replaced in tests, so that nothing sleeps and every call can be the last one. */
export interface Patience {
  /** Milliseconds that are left to wait. */
  remaining(): number;
  wait(ms: number): Promise<unknown>;
  /** Between two looks, in milliseconds. */
  intervalMs: number;
}

/** Longest wait of one invocation: below the function's timeout of 300 s, which would say nothing. */
export const MOST_WAITING_MS = 280_000;

/** Patience of an invocation that began now. */
export function patienceOf(
  context: { getRemainingTimeInMillis(): number },
  intervalMs = 2_000,
  now: () => number = () => performance.now(),
): Patience {
  // What the function needs after the wait: one more look and the answer.
  const most = Math.min(MOST_WAITING_MS, context.getRemainingTimeInMillis() - 15_000);
  const end = now() + most;
  return { remaining: () => end - now(), wait: sleep, intervalMs };
}

/** Where a resource is in its life. */
export interface Life {
  status?: string | undefined;
  failureReason?: string | undefined;
}

/** Whether a status is one that ends by itself. A solution version that is stopped goes through CREATE STOPPING. */
export function isMoving(status: string | undefined): boolean {
  return /PENDING|IN_PROGRESS|STOPPING/.test(status ?? "");
}

/** Whether a creation is being stopped: it is over soon, with nothing made. */
export function isStopping(status: string | undefined): boolean {
  return /STOPPING/.test(status ?? "");
}

/** Whether a creation or update ended badly. */
export function hasFailed(status: string | undefined): boolean {
  return /FAILED|STOPPED/.test(status ?? "");
}

/** Looks until a resource has come to rest, and gives it; undefined when it is gone. Throws StillGoingOn. */
export async function untilAtRest<T extends Life>(
  what: string,
  patience: Patience,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (;;) {
    const found = await look();
    if (!found || !isMoving(found.status)) return found;
    if (patience.remaining() <= patience.intervalMs) throw new StillGoingOn(what, found.status ?? "");
    await patience.wait(patience.intervalMs);
  }
}

/** Looks until a resource is ACTIVE and gives it. Throws ManagerError with Personalize's reason, or StillGoingOn. */
export async function untilActive<T extends Life>(
  what: string,
  patience: Patience,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const found = await untilAtRest(what, patience, look);
  if (!found) throw new ManagerError(`${what} was removed while it was waited for: apply again`);
  if (hasFailed(found.status)) throw failed(what, found);
  return found;
}

/** Looks until a resource is gone. Throws StillGoingOn. */
export async function untilGone(
  what: string,
  patience: Patience,
  look: () => Promise<Life | undefined>,
): Promise<void> {
  const left = await untilAtRest(what, patience, look);
  if (left)
    throw new ManagerError(
      `${what} could not be removed, it is ${left.status}: ${left.failureReason ?? "no reason given"}`,
    );
}

/** The error of a resource that ended badly, in Personalize's words. */
export function failed(what: string, { status, failureReason }: Life): ManagerError {
  return new ManagerError(`${what} is ${status}: ${failureReason ?? "Personalize gives no reason"}`);
}
