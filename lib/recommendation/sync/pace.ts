import { setTimeout as sleep } from "node:timers/promises";
import type { Deadline } from "../../core/resilience/deadline.ts";

/** Hands out turns at a steady pace. */
export interface Pace {
  /** Waits for the caller's turn and returns true. Returns false at once if that would be after the deadline. */
  turn(deadline: Deadline): Promise<boolean>;
}

export interface PaceOptions {
  now?: () => number;
  wait?: (ms: number) => Promise<unknown>;
}

/**
 * Calls reach the service less evenly than turns are given. This factor keeps the count in any second below the limit.
 */
const JITTER = 1.1;

/** Creates a pace of at most `perSecond` evenly spread turns a second, for the life of the function instance. */
export function createPace(perSecond: number, { now = () => performance.now(), wait = sleep }: PaceOptions = {}): Pace {
  const interval = (1_000 / perSecond) * JITTER;
  let next = Number.NEGATIVE_INFINITY;
  return {
    async turn(deadline) {
      const time = now();
      const at = Math.max(time, next);
      if (at - time >= deadline.remaining()) return false;
      next = at + interval;
      if (at > time) await wait(at - time);
      return true;
    },
  };
}
