import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { CHUNKING, vectorsOfField } from "../../lib/settings/vectors.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { runHere } from "../cli/run-here.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { fillIndex } from "../fixtures/fill-index.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import type { TestHit } from "../fixtures/gateway-json.ts";
import { type Stored, toGateway, writeConf } from "../fixtures/index-cli.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { plantedEvidence } from "../fixtures/planted-evidence.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("tools for passages");
const upstreams = await startUpstreams();
const { control } = upstreams.models;
const folder = scratchFolder(TEST_OUTPUT, "passages");

const LONG = plantedEvidence(21);
const [DENSE] = hybridIndex("").embedding_mappings;
const KNN = { knn: { text_dense: { vector: "[text_dense]", k: 50 } } };

interface Shown extends TestHit {
  highlight?: Record<string, string[]>;
}

const embedded = () => control.served("dense_large_en_v1_5").flatMap(({ texts }) => texts);

for (const cluster of await clusters()) {
  const { version } = cluster;
  const alias = uniqueIndex("tools");
  const created = `${alias}-created`;
  const conf = join(folder, alias);
  const mapping = { embedding_field: "text_dense", model_name: "dense_large_en_v1_5", src_fields: ["text"] };
  writeConf(
    conf,
    { dense_large_en_v1_5: { endpoint_name: "dense", revision: "1" } },
    [alias, created].map((index) => ({
      index,
      embedding_mappings: [{ ...mapping, vectors: "byte", chunking: {} }],
    })),
  );
  const tools = await startGateway({
    node: cluster.url,
    settings: {
      indexes: [alias, created].map((index) =>
        hybridIndex(index, { embedding_mappings: DENSE ? [{ ...DENSE, chunking: CHUNKING }] : [] }),
      ),
    },
    key: { endpoints: ["administration", "bulk", "hybrid-search"], indexes: [`${alias}*`], scripts: true },
  });
  const run = async (...args: string[]) => {
    const { code, out, err } = await runHere([...args, ...toGateway(conf, tools.url)]);
    assert.is(code, 0, err);
    return args.includes("--json") ? JSON.parse(out) : out;
  };
  const passages = { nested: { path: "text_dense", query: { exists: { field: "text_dense.vector" } } } };
  /** Returns how many documents have no passages. */
  const lacking = async () => {
    const query = { query: { bool: { must_not: passages } } };
    return (await request<{ count: number }>(cluster, "POST", `/${alias}/_count`, query)).body.count;
  };
  const passagesOf = async (index: string, id: string) => {
    type Document = { _source: { text_dense: object[] } };
    return (await request<Document>(cluster, "GET", `/${index}/_doc/${id}`)).body._source.text_dense.length;
  };

  test(`${version}: a rebuild makes passages of an index that has none, which is written as before until then`, async () => {
    const documents = LONG.slice(0, 12).map(({ id, text }) => ({ id, doc: { text } }));
    await fillIndex(cluster, tools, `${alias}-1`, documents, { ...HYBRID_MAPPING, aliases: { [alias]: {} } });
    await run("index", "rebuild", "--index", alias, "--embed");
    assert.is(await lacking(), 0);
  });

  test(`${version}: the list knows passages and what lacks them, and a backfill adds them, which searches show`, async () => {
    await request(cluster, "POST", `/${alias}/_update/d1?refresh=true`, { doc: { text_dense: [] } });
    const [{ documents, embeddings }] = await run("index", "list", "--index", alias, "--json");
    const [{ passages: has, other_passages: other, lacking: lacks, vectors }] = embeddings;
    assert.equal([documents, has, other, lacks, vectors], [12, true, false, 1, "byte"]);
    control.reset();
    const { tally } = await run("backfill", "--index", alias, "--json");
    assert.equal([tally.written, tally.unchanged], [1, 11]);
    await request(cluster, "POST", `/${alias}/_refresh`);
    assert.is(await lacking(), 0);
    assert.ok(embedded().length >= 3, "the passages of one document");
    const found = await tools.post("/application/hybrid-search", {
      ...{ index: alias, search_query: LONG[1]?.evidence },
      search_request_template: { query: { hybrid: { queries: [KNN] } }, highlight: { fields: { text_dense: {} } } },
    });
    assert.is(found.body.degraded, undefined, found.text.slice(-300));
    const hit = (found.body.search_response.hits.hits as Shown[]).find(({ _id }) => _id === "d1");
    assert.ok(hit?.highlight?.text_dense?.[0]?.includes(LONG[1]?.evidence ?? "?"));
  });

  test(`${version}: a rebuild copies passages without a model, and recall measures them before the switch`, async () => {
    control.reset();
    const { id } = await run("index", "rebuild", "--index", alias, "--no-switch", "--json");
    assert.is(embedded().length, 0);
    const queries = join(conf, "queries.txt");
    writeFileSync(
      queries,
      LONG.slice(0, 5)
        .map(({ evidence }) => `${evidence}\n`)
        .join(""),
    );
    const [report] = await run("index", "recall", "--run", id, "--index", alias, "--queries", queries, "--json");
    assert.equal([report.field, report.queries], ["text_dense", 5]);
    assert.ok(report.recall.mean >= 0.9, JSON.stringify(report));
    await run("index", "switch", "--run", id);
  });

  test(`${version}: an import embeds passages`, async () => {
    const imported = join(conf, "long.ndjson");
    writeFileSync(imported, `${JSON.stringify({ id: "imported", text: LONG[20]?.text })}\n`);
    const from = ["--from", imported, "--format", "documents", "--id-field", "id"];
    await run("index", "import", "--index", alias, ...from);
    assert.ok((await passagesOf(alias, "imported")) >= 3);
  });

  test(`${version}: the cluster takes the mapping of a new index with passages, and its documents have them`, async () => {
    const schema = join(conf, "schema.json");
    const properties = { text: { type: "text" } };
    writeFileSync(schema, JSON.stringify({ settings: { number_of_replicas: 0 }, mappings: { properties } }));
    await run("index", "create", "--index", created, "--schema_file_path", schema);
    const { body: mapped } = await request<Stored>(cluster, "GET", `/${created}/_mapping`);
    const { text_dense: field } = Object.values(mapped)[0]?.mappings.properties ?? {};
    const { vector, ...others } = (field?.properties ?? {}) as Record<string, Record<string, unknown>>;
    const unsearched = { index: false, doc_values: false };
    assert.equal([field?.type, vectorsOfField(vector ?? {}), vector?.dimension], ["nested", "byte", 1_024]);
    assert.equal(others, {
      start: { type: "integer", ...unsearched },
      end: { type: "integer", ...unsearched },
      hash: { type: "keyword", ...unsearched },
    });
    const { text } = await tools.post("/application/bulk", {
      ...{ index: created, refresh: true },
      bulk_request: [{ id: "long", op: "index", doc: { text: LONG[0]?.text } }],
    });
    assert.ok((await passagesOf(created, "long")) >= 3, text.slice(0, 500));
  });
}

test.after(stopStarted);
test.run();
