/** Limits a run's concurrent calls, so that the cluster has capacity for searches. */
export interface Pace {
  /** Runs an operation when a slot is free. */
  run<T>(operation: () => Promise<T>): Promise<T>;
  /** Raises the limit by one for each round of successful calls (additive increase). */
  succeeded(): void;
  /** Halves the limit (multiplicative decrease). Refusals of concurrent calls count once. */
  refused(): void;
  /** The current limit. */
  limit(): number;
}

/** Returns a limiter that starts with one call at a time and never exceeds `most`. */
export function createPace(most: number): Pace {
  let bound = 1;
  let active = 0;
  /** Calls that must end before another refusal halves the limit. */
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
