import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { CHUNKING } from "../../lib/settings/passage-fields.ts";
import { vectorsOfField } from "../../lib/settings/vectors.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { runHere } from "../cli/run-here.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams, type TestHit } from "../fixtures/gateway.ts";
import { type Stored, toGateway } from "../fixtures/index-cli.ts";
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
  test(`${cluster.version}: a rebuild and a new index have passages, a backfill and an import add them, and the list and recall know them`, async () => {
    const alias = uniqueIndex("tools");
    const created = `${alias}-created`;
    const conf = join(folder, alias);
    mkdirSync(conf, { recursive: true });
    writeFileSync(join(conf, "model.yaml"), "dense_large_en_v1_5: {endpoint_name: dense, revision: '1'}\n");
    writeFileSync(
      join(conf, "hybrid_search.yaml"),
      `hybrid_queries:
  - index: ${alias}
    embedding_mappings: &mappings
      - {embedding_field: text_dense, model_name: dense_large_en_v1_5, src_fields: [text], vectors: byte, chunking: {}}
  - index: ${created}
    embedding_mappings: *mappings
`,
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
    const first = `${alias}-1`;
    await request(cluster, "PUT", `/${first}`, { ...HYBRID_MAPPING, aliases: { [alias]: {} } });
    const bulk_request = LONG.slice(0, 12).map(({ id, text }) => ({ id, op: "index", doc: { text } }));
    const { body: written } = await tools.post("/application/bulk", { index: alias, bulk_request, refresh: true });
    assert.is(written.index_response.errors, false, "an index without passages is written as before");
    const { target } = await run("index", "rebuild", "--index", alias, "--embed", "--json");
    const passages = { nested: { path: "text_dense", query: { exists: { field: "text_dense.vector" } } } };
    const lacking = { query: { bool: { must_not: passages } } };
    const countLacking = async () =>
      (await request<{ count: number }>(cluster, "POST", `/${target}/_count`, lacking)).body.count;
    assert.is(await countLacking(), 0);

    await request(cluster, "POST", `/${target}/_update/d1?refresh=true`, { doc: { text_dense: [] } });
    const listed = async () => (await run("index", "list", "--index", alias, "--json"))[0];
    const before = await listed();
    assert.is(before.documents, 12);
    const [{ passages: has, other_passages: other, lacking: lacks, vectors }] = before.embeddings;
    assert.equal([has, other, lacks, vectors], [true, false, 1, "byte"]);
    control.reset();
    const filled = await run("backfill", "--index", alias, "--json");
    assert.equal([filled.tally.written, filled.tally.unchanged], [1, 11]);
    await request(cluster, "POST", `/${target}/_refresh`);
    assert.is(await countLacking(), 0);
    assert.ok(embedded().length >= 3, "the passages of one document");
    const found = await tools.post("/application/hybrid-search", {
      index: alias,
      search_query: LONG[1]?.evidence,
      search_request_template: { query: { hybrid: { queries: [KNN] } }, highlight: { fields: { text_dense: {} } } },
    });
    assert.is(found.body.degraded, undefined, found.text.slice(-300));
    const hit = (found.body.search_response.hits.hits as Shown[]).find(({ _id }) => _id === "d1");
    assert.ok(hit?.highlight?.text_dense?.[0]?.includes(LONG[1]?.evidence ?? "?"));

    // What was embedded is copied, measured before the switch, and not embedded again.
    control.reset();
    const { id } = await run("index", "rebuild", "--index", alias, "--no-switch", "--json");
    assert.is(embedded().length, 0);
    const queries = join(conf, "queries.txt");
    writeFileSync(
      queries,
      LONG.slice(0, 5)
        .map(({ evidence }) => evidence)
        .join("\n"),
    );
    const [report] = await run("index", "recall", "--run", id, "--index", alias, "--queries", queries, "--json");
    assert.equal([report.field, report.queries], ["text_dense", 5]);
    assert.ok(report.recall.mean >= 0.9, JSON.stringify(report));
    await run("index", "switch", "--run", id);

    const imported = join(conf, "long.ndjson");
    writeFileSync(imported, `${JSON.stringify({ id: "imported", text: LONG[20]?.text })}\n`);
    const from = ["--from", imported, "--format", "documents", "--id-field", "id"];
    await run("index", "import", "--index", alias, ...from);
    const { body: stored } = await request<{ _source: { text_dense: object[] } }>(
      cluster,
      "GET",
      `/${alias}/_doc/imported`,
    );
    assert.ok(stored._source.text_dense.length >= 3, "an import embeds passages");

    // What the schema generator makes of the configuration, as the cluster has taken it.
    const schema = join(conf, "schema.json");
    const properties = { text: { type: "text" } };
    writeFileSync(schema, JSON.stringify({ settings: { number_of_replicas: 0 }, mappings: { properties } }));
    await run("index", "create", "--index", created, "--schema_file_path", schema);
    const { body: mapped } = await request<Stored>(cluster, "GET", `/${created}/_mapping`);
    const { text_dense: field } = Object.values(mapped)[0]?.mappings.properties ?? {};
    const { vector, ...others } = (field?.properties ?? {}) as Record<string, Record<string, unknown>>;
    const unsearched = { index: false, doc_values: false };
    assert.is(field?.type, "nested");
    assert.is(vectorsOfField(vector ?? {}), "byte");
    assert.is(vector?.dimension, 1_024);
    assert.equal(others, {
      start: { type: "integer", ...unsearched },
      end: { type: "integer", ...unsearched },
      hash: { type: "keyword", ...unsearched },
    });
    const { body: long } = await tools.post("/application/bulk", {
      ...{ index: created, refresh: true },
      bulk_request: [{ id: "long", op: "index", doc: { text: LONG[0]?.text } }],
    });
    assert.is(long.index_response.errors, false, JSON.stringify(long).slice(0, 500));
    const { body: parts } = await request<typeof stored>(cluster, "GET", `/${created}/_doc/long`);
    assert.ok(parts._source.text_dense.length >= 3, "its documents have passages");
  });
}

test.after(stopStarted);

test.run();
