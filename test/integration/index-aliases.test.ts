import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { entryFor } from "../../lib/search/resolve/entry-for.ts";
import { loadHybridSearch } from "../../lib/settings/load.ts";
import { clusterBehind } from "../../packages/lab/gateway/gateway.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { runHere } from "../cli/run-here.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { API_KEY, SETTINGS, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { toGateway } from "../fixtures/index-cli.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("commands on an alias that a prefix entry fits");
await startUpstreams();
const folder = scratchFolder(TEST_OUTPUT, "index-aliases");
const conf = join(folder, "conf");
mkdirSync(conf);

// Which index an alias stands for does not depend on the version.
const [cluster] = await clusters();
if (!cluster) throw new Error("there is no cluster");

const alias = uniqueIndex("shop-live");
const old = uniqueIndex("catalog");
const mapping = { embedding_field: "sparse", model_name: "sparse_v3" as const, src_fields: ["parts.名称"] };
writeFileSync(
  join(conf, "hybrid_search.yaml"),
  `hybrid_queries: ${JSON.stringify([{ index: `${alias.slice(0, -3)}*`, embedding_mappings: [mapping], candidates: 50 }])}`,
);
writeFileSync(join(conf, "model.yaml"), "sparse_v3: {endpoint_name: first}\n");
const { hybrid_queries } = loadHybridSearch(conf);
const settings = hybrid_queries.map(({ index, embedding_mappings }) => ({
  ...{ index, embedding_mappings, candidates: 50 },
  on_embedding_failure: { write: "fail" as const, query: "degrade" as const },
  settings: { normalization: "min_max" as const, combination: "arithmetic_mean" as const },
}));
const gateway = await startGateway({
  node: cluster.url,
  settings: { indexes: settings, models: SETTINGS.models.map((model) => ({ ...model, revision: "first" })) },
  key: { endpoints: ["administration", "bulk"], indexes: [`${alias}*`, `${old}*`] },
});

const run = (...args: string[]) => runHere([...args, ...toGateway(conf, gateway.url)]);

const sourceOf = async (index: string, id: string) =>
  (await request<{ sparse?: object; parts: unknown }>(cluster, "GET", `/${index}/_source/${id}`)).body;

test("import and backfill embed documents that are written through the alias", async () => {
  await request(cluster, "PUT", `/${old}`, {
    settings: { number_of_shards: 1, number_of_replicas: 0 },
    mappings: { properties: { sparse: { type: "rank_features" } } },
    aliases: { [alias]: {} },
  });
  const file = join(folder, "one.ndjson");
  writeFileSync(file, `${JSON.stringify({ isbn: "1", parts: { 名称: "salt road" } })}\n`);
  const files = ["--from", file, "--format", "documents", "--id-field", "isbn"];
  const imported = await run("index", "import", "--index", alias, ...files);
  assert.is(imported.code, 0, imported.err);
  assert.match(imported.err, "with embeddings");
  assert.ok((await sourceOf(old, "1")).sparse);

  const parts = '[{"名称":"red sea","n":9007199254740993},{"m":1.0}]';
  const init = { method: "PUT", headers: { "content-type": "application/json" }, body: `{"parts":${parts}}` };
  await fetch(`${cluster.url}/${old}/_doc/2?refresh=true`, init);
  const filled = await run("backfill", "--index", alias);
  assert.is(filled.code, 0, filled.err);
  assert.match(filled.out, "2 read, 1 written, 1 unchanged, 0 rejected");
  assert.ok((await sourceOf(old, "2")).sparse);
  const stored = await (await fetch(`${cluster.url}/${old}/_source/2`)).text();
  assert.ok(stored.includes(`"parts":${parts}`), stored);

  const { code, err } = await run("backfill", "--index", `${old}-nope`);
  assert.is(code, 2);
  assert.match(err, `no mapping for the index ${old}-nope: choose one of ${alias.slice(0, -3)}*`);
});

test("a rebuild keeps the entry that only the old name fits, with and without --embed", async () => {
  // The alias of this index fits no entry.
  const [index, other] = [`${alias}-v1`, `${old}-live`];
  await request(cluster, "PUT", `/${index}`, {
    settings: { number_of_shards: 1, number_of_replicas: 0 },
    mappings: { properties: { sparse: { type: "rank_features" } } },
    aliases: { [other]: {} },
  });
  await request(cluster, "PUT", `/${index}/_doc/1?refresh=true`, { parts: { 名称: "salt road" } });
  const native = clusterBehind(gateway.url, API_KEY);
  for (const flags of [[], ["--embed"]]) {
    const rebuilt = await run("index", "rebuild", "--index", other, ...flags);
    assert.is(rebuilt.code, 0, rebuilt.err);
    assert.is((await entryFor(native, hybrid_queries, other))?.index, `${alias.slice(0, -3)}*`);
    assert.is((await sourceOf(other, "1")).sparse !== undefined, flags.length > 0);
  }
});

test.after(stopStarted);

test.run();
