/** Bounds how many calls a run makes at a time, so that its work leaves room for the cluster's searches. */
export interface Pace {
  /** Runs an operation when there is room for it. */
  run<T>(operation: () => Promise<T>): Promise<T>;
  /** Raises the bound by one for each round of calls that succeeded (additive increase). */
  succeeded(): void;
  /** Halves the bound (multiplicative decrease). Refusals of calls that ran at the same time count once. */
  refused(): void;
  /** The present bound. */
  limit(): number;
}

/** Returns a pace that starts with one call at a time and never exceeds `most`. */
export function createPace(most: number): Pace {
  let bound = 1;
  let active = 0;
  /** Calls that must end before another refusal halves the bound. */
  let settling = 0;
  const waiting: Array<() => void> = [];
  const admit = () => {
    while (active < Math.floor(bound) && waiting.length > 0) {
      active += 1;
      waiting.shift()?.();
    }
  };
  return {
    async run(operation) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        admit();
      });
      try {
        return await operation();
      } finally {
        active -= 1;
        settling = Math.max(0, settling - 1);
        admit();
      }
    },
    succeeded() {
      bound = Math.min(most, bound + 1 / bound);
      admit();
    },
    refused() {
      if (settling > 0) return;
      settling = active;
      bound = Math.max(1, bound / 2);
    },
    limit: () => Math.floor(bound),
  };
}
