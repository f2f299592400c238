import { setInterval } from "node:timers/promises";
import type { Answer } from "./served-services.ts";

/** What came of the requests that were made. */
export interface Load {
  count: number;
  failures: string[];
}

/** Between two requests of a kind, unless the first takes longer: most of the machine is left to the work. */
const PACE_MS = 100;

/** Makes requests of each kind, one after another, as long as the work runs. */
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
