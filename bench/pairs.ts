import { opensearchVersion } from "../local/opensearch/versions.ts";
import type { Result } from "../test/pairs/compare.ts";
import { startModels } from "../test/pairs/models.ts";
import { countsOf, coverageOf, problemsOf, rowsOf, SEED } from "../test/pairs/report.ts";
import { playSearches } from "../test/pairs/search/campaign.ts";
import { SEARCH_CONSTRAINTS, searchDimensions } from "../test/pairs/search/dimensions.ts";
import { playWrites } from "../test/pairs/writes/campaign.ts";
import { WRITE_CONSTRAINTS, WRITES } from "../test/pairs/writes/dimensions.ts";
import { startCluster } from "./gateway-setup.ts";
import { type Benchmark, load, type Row } from "./result.ts";

/** Drawn cases of each table besides all pairs. For a short run: `PAIRS_TRIPLES=50 make bench ARGS=pairs`. */
const TRIPLES = Number(process.env.PAIRS_TRIPLES ?? 1_000);

/** More cases than any array has. */
const ALL = 10_000;

/** Plays all pairs of features and a sample of triples against the cluster, and logs every difference. */
export const pairsBenchmark: Benchmark = {
  name: "pairs",
  async run(): Promise<Row[]> {
    const models = await startModels();
    const rows: Row[] = [];
    for (const version of (process.env.OPENSEARCH_VERSION ?? "2.19.6,3.6.0").split(",").map(opensearchVersion)) {
      const { url, stop } = await startCluster(version);
      const cluster = { version, url };
      try {
        const slice = { pairs: ALL, triples: TRIPLES };
        const searches = rowsOf("search", searchDimensions(version), SEARCH_CONSTRAINTS, slice);
        const writes = rowsOf("write", WRITES, WRITE_CONSTRAINTS, slice);
        rows.push(
          await rowOf("search", version, coverageOf(searches), () => playSearches({ cluster, models, rows: searches })),
          await rowOf("write", version, coverageOf(writes), () => playWrites({ cluster, models, rows: writes })),
        );
      } finally {
        await stop();
      }
    }
    await models.stop();
    return rows;
  },
};

async function rowOf(
  kind: "search" | "write",
  version: string,
  coverage: string,
  play: () => Promise<readonly Result[]>,
): Promise<Row> {
  const start = performance.now();
  const results = await play();
  const seconds = (performance.now() - start) / 1_000;
  const problems = problemsOf(kind, version, results);
  for (const problem of problems) console.error(problem);
  const allowed = Object.entries(countsOf(results)).map(([reason, count]) => `${count}: ${reason}`);
  for (const line of allowed) console.error(`${version} ${kind}, allowed ${line}`);
  return {
    what: `pairs of features, ${kind} on OpenSearch ${version}: differences from the cluster's own answer that nothing explains`,
    budget: "0",
    reached: `${problems.length}`,
    kept: problems.length === 0,
    note: `${coverage}, seed ${SEED}; ${seconds.toFixed(0)} s; ${load()}. Allowed differences met: ${allowed.length} kinds`,
  };
}
