import type { Deadline } from "../../core/resilience/deadline.ts";
import { EmbeddingError } from "./embedder.ts";

/** The longest delay of a Node timer; a longer one fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Error for a model call that could not start in time. Trying again within the same request does not help. */
export class NoTimeLeftError extends EmbeddingError {
  override name = "NoTimeLeftError";

  constructor(message = "no time was left to start a model call") {
    super(message, { retryable: true });
  }
}

interface Waiting {
  start: () => void;
}

/** Limits the model calls that run at once in one process. */
export interface Slots {
  readonly size: number;

  /**
   * Runs `call` when a slot is free, in the order of the calls. Throws NoTimeLeftError without calling when
   * `startBefore` ends first.
   */
  run<T>(startBefore: Deadline, call: () => Promise<T>): Promise<T>;
}

/** Returns `size` slots, at least one. */
export function createSlots(size: number): Slots {
  if (!Number.isInteger(size) || size < 1) throw new RangeError(`a model needs at least 1 parallel call, got ${size}`);
  let queue: Waiting[] = [];
  let free = size;

  const release = () => {
    free += 1;
    queue.shift()?.start();
  };

  const acquire = async (startBefore: Deadline): Promise<void> => {
    if (startBefore.remaining() <= 0) throw outOfTime();
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
          reject(outOfTime());
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

const outOfTime = () => new NoTimeLeftError();
