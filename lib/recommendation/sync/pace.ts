import { setTimeout as sleep } from "node:timers/promises";
import type { Deadline } from "../../core/resilience/deadline.ts";

/** Hands out turns at a steady pace. */
export interface Pace {
  /** Resolves when it is the caller's turn; false, without waiting, when that would be after the deadline. */
  turn(deadline: Deadline): Promise<boolean>;
}

export interface PaceOptions {
  now?: () => number;
  wait?: (ms: number) => Promise<unknown>;
}

/** Turns arrive at the service less evenly than they are given: this keeps any second's count within the limit. */
const JITTER = 1.1;

/** At most `perSecond` turns in any second, evenly spread, over the life of the instance. */
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
