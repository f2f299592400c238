import { setInterval } from "node:timers/promises";
import type { Answer } from "./served-services.ts";

/** The number of requests, and the failed ones. */
export interface Load {
  count: number;
  failures: string[];
}

/** Pause between two requests of a kind, unless the first takes longer, so that the work gets most of the machine. */
const PACE_MS = 100;

/** Sends requests of each kind, one after another, until the work ends. */
export async function underLoad(
  requests: readonly (() => Promise<Answer>)[],
  work: () => Promise<void>,
): Promise<Load> {
  const load: Load = { count: 0, failures: [] };
  let over = false;
  const row = async (request: () => Promise<Answer>) => {
    for await (const _ of setInterval(PACE_MS)) {
      if (over) return;
      const outcome = await request().catch((error: unknown) => String(error));
      load.count += 1;
      if (typeof outcome === "string") load.failures.push(outcome);
      else if (outcome.status !== 200 || outcome.body.degraded) load.failures.push(JSON.stringify(outcome));
    }
  };
  const rows = requests.map(row);
  try {
    await work();
  } finally {
    over = true;
    await Promise.all(rows);
  }
  return load;
}
