import { type Deadline, MAX_TIMER_MS } from "../../platform/resilience/deadline.ts";
import { NoTimeLeftError } from "./embedder.ts";

interface Waiting {
  start: () => void;
}

/** Limits the model calls that run at once in one process. */
export interface Semaphore {
  readonly size: number;

  /**
   * Runs `call` when a slot is free, in the order of arrival. Throws NoTimeLeftError without calling when `startBefore`
   * ends first.
   */
  run<T>(startBefore: Deadline, call: () => Promise<T>): Promise<T>;
}

/** Returns a semaphore that lets `size` calls run at once, at least one. */
export function createSemaphore(size: number): Semaphore {
  if (!Number.isInteger(size) || size < 1) throw new RangeError(`a model needs at least 1 parallel call, got ${size}`);
  let queue: Waiting[] = [];
  let free = size;

  const release = () => {
    free += 1;
    queue.shift()?.start();
  };

  const acquire = async (startBefore: Deadline): Promise<void> => {
    if (startBefore.remaining() <= 0) throw new NoTimeLeftError();
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        start: () => {
          clearTimeout(timer);
          free -= 1;
          resolve();
        },
      };
      const timer = setTimeout(
        () => {
          queue = queue.filter((other) => other !== waiting);
          reject(new NoTimeLeftError());
        },
        Math.min(MAX_TIMER_MS, startBefore.remaining()),
      );
      queue.push(waiting);
    });
  };

  return {
    size,
    async run(startBefore, call) {
      await acquire(startBefore);
      try {
        return await call();
      } finally {
        release();
      }
    },
  };
}
