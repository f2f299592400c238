import type { Answer } from "./served-services.ts";

/** What came of the requests that were made. */
export interface Load {
  count: number;
  failures: string[];
}

/** Makes requests one after another, each kind in a row of its own, as long as the work goes on. */
export async function underLoad(
  requests: readonly (() => Promise<Answer>)[],
  work: () => Promise<void>,
): Promise<Load> {
  const load: Load = { count: 0, failures: [] };
  const over = new AbortController();
  const row = async (request: () => Promise<Answer>) => {
    while (!over.signal.aborted) {
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
    over.abort();
    await Promise.all(rows);
  }
  return load;
}
