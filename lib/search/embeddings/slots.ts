import type { Deadline } from "../../core/resilience/deadline.ts";
import { EmbeddingError } from "./embedder.ts";
import type { InputType } from "./model-client.ts";

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

/** Limits the model calls that run at once in one process, queries and documents together. */
export interface Slots {
  readonly size: number;

  /**
   * Runs `call` when a slot is free. Waiting queries go before waiting documents. Throws NoTimeLeftError without calling
   * when `startBefore` ends first.
   */
  run<T>(input: InputType, startBefore: Deadline, call: () => Promise<T>): Promise<T>;
}

/** Returns `size` slots, at least one. */
export function createSlots(size: number): Slots {
  if (!Number.isInteger(size) || size < 1) throw new RangeError(`a model needs at least 1 parallel call, got ${size}`);
  const queues: Record<InputType, Waiting[]> = { query: [], document: [] };
  let free = size;

  const release = () => {
    free += 1;
    (queues.query.shift() ?? queues.document.shift())?.start();
  };

  const acquire = async (input: InputType, startBefore: Deadline): Promise<void> => {
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
          queues[input] = queues[input].filter((other) => other !== waiting);
          reject(outOfTime());
        },
        Math.min(MAX_TIMER_MS, startBefore.remaining()),
      );
      queues[input].push(waiting);
    });
  };

  return {
    size,
    async run(input, startBefore, call) {
      await acquire(input, startBefore);
      try {
        return await call();
      } finally {
        release();
      }
    },
  };
}

const outOfTime = () => new NoTimeLeftError();
