/** Adds up milliseconds by stage for the request log. Stages that run at the same time each count in full. */
export interface Stopwatch {
  time<T>(stage: string, work: () => Promise<T>): Promise<T>;
  /** Returns whole milliseconds by stage, with `total` since the start. */
  read(): Record<string, number>;
}

export function stopwatch(now: () => number = () => performance.now()): Stopwatch {
  const started = now();
  const stages: Record<string, number> = {};
  return {
    async time(stage, work) {
      const from = now();
      try {
        return await work();
      } finally {
        stages[stage] = (stages[stage] ?? 0) + now() - from;
      }
    },
    read: () => {
      const all = { total: now() - started, ...stages };
      return Object.fromEntries(Object.entries(all).map(([stage, ms]) => [stage, Math.round(ms)]));
    },
  };
}
