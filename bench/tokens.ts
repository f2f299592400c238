import { startModels } from "../test/pairs/models.ts";
import { SEED } from "../test/pairs/report.ts";
import { playTokens } from "../test/pairs/tokens/play.ts";
import { startTokenWorld } from "../test/pairs/tokens/world.ts";
import { clustersInTurn } from "./pairs.ts";
import { type Benchmark, load, type Row } from "./result.ts";

/** How many searches each version is sent. */
const SEARCHES = Number(process.env.BENCH_SEARCHES ?? 10_000);

/** Plays in full what the integration test of tokens plays in part. */
export const tokensBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const models = await startModels();
    const rows: Row[] = [];
    for await (const cluster of clustersInTurn()) {
      const start = performance.now();
      const world = await startTokenWorld(cluster, models);
      const { outside, different, answered } = await playTokens(world, SEARCHES);
      await world.stop();
      for (const problem of [...outside, ...different]) console.error(problem);
      const endpoints = Object.entries(answered).map(([name, count]) => `${count} by ${name}`);
      rows.push({
        what: `${SEARCHES.toLocaleString("en")} generated searches with a token's filter on OpenSearch ${cluster.version}: answers with a document outside it, or other than with the filter by hand`,
        budget: "0",
        reached: `${outside.length + different.length}`,
        kept: outside.length + different.length === 0,
        note:
          `test/pairs/tokens, seed ${SEED}; answered ${endpoints.join(", ")}; ` +
          `${((performance.now() - start) / 1_000).toFixed(0)} s; ${load()}`,
      });
    }
    await models.stop();
    return rows;
  },
};
