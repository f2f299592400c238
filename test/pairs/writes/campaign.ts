import { concurrently } from "../../../lib/platform/resilience/concurrently.ts";
import { API_KEY, startGateway } from "../../fixtures/gateway.ts";
import { type Cluster, uniqueIndex } from "../../fixtures/opensearch.ts";
import { nameOf } from "../array.ts";
import { removeAll } from "../cleanup.ts";
import type { Result } from "../compare.ts";
import { encoded } from "../encoding.ts";
import { MODELS, type PairModels } from "../models.ts";
import { WRITES, type WriteRow } from "./dimensions.ts";
import { judgeWrite, operationOf, writeBefore } from "./play.ts";
import { createTwins, createWriteWorld, writeWorldOf } from "./world.ts";

const KEYS = { printed: API_KEY, limited: `${API_KEY}-limited` } as const;

/** Cases at a time. */
const PARALLEL = 8;

/** Plays writes through one gateway. */
export async function playWrites({
  cluster,
  models,
  rows,
}: {
  cluster: Cluster;
  models: PairModels;
  rows: readonly WriteRow[];
}): Promise<Result[]> {
  const own = uniqueIndex("wpairs").slice(0, 15);
  const cases = rows.map((row, at) => ({
    start: `${own}x${at}z`,
    row,
    world: writeWorldOf(own, `${own}x${at}z`, row),
  }));
  const granted = cases.filter(({ row }) => row.key === "limited").flatMap(({ world }) => world.grants);
  const gateway = await startGateway({
    node: cluster.url,
    moreKeys: [KEYS.limited],
    env: { API_KEYS: "key-1=printed,key-2=limited" },
    settings: {
      models: MODELS,
      indexes: cases.flatMap(({ world }) => world.entries),
      keys: [
        { name: "printed", endpoints: ["bulk"], raw_backend: "all" },
        { name: "limited", endpoints: ["bulk"], indexes: granted },
      ],
    },
  });
  const results: Result[] = [];
  try {
    await createTwins(cluster, own, rows);
    await concurrently(cases, PARALLEL, async ({ start, row, world }) => {
      const name = nameOf(WRITES, row);
      try {
        await createWriteWorld(cluster, world, { own, start, row });
        const conditions = await writeBefore(cluster, { row, world, id: start }, models);
        const request = `{"index":${JSON.stringify(world.expression)},"bulk_request":[${operationOf(row, start, conditions.index)}]}`;
        const { body, headers } = encoded(request, row.encoding);
        const { status, text } = await gateway.send("POST", "/application/bulk", {
          body,
          headers: { "content-type": "application/json", "x-api-key": KEYS[row.key], ...headers },
        });
        results.push({
          name,
          ...(await judgeWrite(cluster, { row, world, id: start, condition: conditions.twin }, models, {
            status,
            text,
          })),
        });
      } catch (error) {
        const got = error instanceof Error ? error.message : error;
        results.push({ name, findings: [{ what: "the case itself", expected: "runs", got }], allowed: [] });
      }
    });
  } finally {
    await gateway.stop();
    await removeAll(cluster, own);
  }
  return results;
}
