import { opensearchVersion } from "../packages/local/opensearch/versions.ts";
import { OPENSEARCH_ENV } from "../test/fixtures/env.ts";
import { type Cluster, clusters } from "../test/fixtures/opensearch.ts";
import type { Result } from "../test/pairs/compare.ts";
import { startModels } from "../test/pairs/models.ts";
import { countsOf, coverageOf, problemsOf, rowsOf, SEED } from "../test/pairs/report.ts";
import { playSearches } from "../test/pairs/search/campaign.ts";
import { searchConstraints } from "../test/pairs/search/constraints.ts";
import { searchDimensions } from "../test/pairs/search/dimensions.ts";
import { playWrites } from "../test/pairs/writes/campaign.ts";
import { WRITE_CONSTRAINTS, writeDimensions } from "../test/pairs/writes/dimensions.ts";
import { startCluster } from "./gateway-setup.ts";
import { type Benchmark, load, type Row } from "./result.ts";

/** Drawn cases of each table besides all pairs. For another number: `PAIRS_TRIPLES=1000 make bench ARGS=pairs`. */
const TRIPLES = Number(process.env.PAIRS_TRIPLES ?? 40);

/** More cases than any array has. */
const ALL = 10_000;

/**
 * Plays all pairs of features and a sample of triples against the cluster, and logs every difference. OPENSEARCH_VERSION
 * chooses versions, TEST_OPENSEARCH running servers of several.
 */
export const pairsBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const models = await startModels();
    const rows: Row[] = [];
    for await (const cluster of clustersInTurn()) {
      const { version } = cluster;
      const slice = { pairs: ALL, triples: TRIPLES };
      const searches = rowsOf("search", searchDimensions(version), searchConstraints(version), slice);
      const writes = rowsOf("write", writeDimensions(version), WRITE_CONSTRAINTS, slice);
      rows.push(
        await rowOf("search", version, searches, () => playSearches({ cluster, models, rows: searches })),
        await rowOf("write", version, writes, () => playWrites({ cluster, models, rows: writes })),
      );
    }
    await models.stop();
    return rows;
  },
};

/** Yields the servers that run already, or starts one after the other. */
export async function* clustersInTurn(): AsyncGenerator<Cluster> {
  if (process.env[OPENSEARCH_ENV]) yield* await clusters();
  else {
    for (const version of (process.env.OPENSEARCH_VERSION ?? "2.19.6,3.6.0").split(",").map(opensearchVersion)) {
      const { url, stop } = await startCluster(version);
      try {
        yield { version, url };
      } finally {
        await stop();
      }
    }
  }
}

async function rowOf(
  kind: "search" | "write",
  version: string,
  cases: ReadonlyArray<Readonly<Record<string, string>>>,
  play: () => Promise<ReadonlyArray<Result & { isAnswered?: boolean }>>,
): Promise<Row> {
  console.error(`${version} ${kind}: ${coverageOf(cases)}`);
  const start = performance.now();
  const results = await play();
  const seconds = (performance.now() - start) / 1_000;
  const problems = problemsOf(kind, version, results);
  for (const problem of problems) console.error(problem);
  const allowed = Object.entries(countsOf(results));
  for (const [reason, count] of allowed) console.error(`${version} ${kind}, allowed ${count}: ${reason}`);
  const refused = results.filter(({ isAnswered }) => isAnswered === false).length;
  return {
    what: `pairs of features, ${kind} on OpenSearch ${version}: differences from the cluster's own answer that nothing explains`,
    budget: "0",
    reached: `${problems.length}`,
    kept: problems.length === 0,
    note:
      `${Object.keys(cases[0] ?? {}).length} dimensions, ${coverageOf(cases)}, seed ${SEED}; ` +
      `both sides refuse ${refused} of them, alike; ${seconds.toFixed(0)} s; ${load()}`,
    details: tableOf(kind, version, allowed),
  };
}

/** Returns the allowed differences that a run has met, as a table of Markdown. */
const tableOf = (kind: string, version: string, allowed: ReadonlyArray<[string, number]>): string =>
  [
    `| ${kind} on OpenSearch ${version}: a difference that the answer tells, or that is known | cases |`,
    "|---|---|",
    ...allowed.map(([reason, count]) => `| ${reason} | ${count} |`),
  ].join("\n");
