import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { runHere } from "../cli/run-here.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { startFaultProxy } from "../fixtures/fault-proxy.ts";
import { hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { toGateway, writeConf } from "../fixtures/index-cli.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("semantic fields");
const upstreams = await startUpstreams();
const folder = scratchFolder(TEST_OUTPUT, "semantic-fields");

const TEXT = "shoes for the beach";
const embeddings = { properties: { embedding: { type: "knn_vector", dimension: 384 } } };

/** The mapping that a cluster with models makes of two `semantic` fields. The local one has none to make it with. */
const MADE = {
  passage: { type: "semantic", model_id: "m", raw_field_type: "text" },
  passage_semantic_info: embeddings,
  part: {
    properties: { note: { type: "semantic", model_id: "m", semantic_info_field_name: "made" }, made: embeddings },
  },
};

const QUERIES = [
  { match: { passage: TEXT } },
  { neural: { passage: { query_text: TEXT, k: 50, filter: { term: { year: 1 } } } } },
];

for (const cluster of await clusters()) {
  const index = uniqueIndex("semantic");
  const hybrid = (text: string) => [QUERIES[0], { neural: { passage: { query_text: text, k: 50 } } }];

  test(`${cluster.version}: the gateway embeds nothing for an index whose cluster does, and leaves its vectors out of answers`, async () => {
    const proxy = await startFaultProxy(cluster.url);
    const search_request_template = { query: { hybrid: { queries: hybrid("[search_query]") } } };
    const started = async () => {
      const gateway = await startGateway({
        node: proxy.url,
        settings: {
          indexes: [hybridIndex(index, { embedding_mappings: [] })],
          templates: [{ name: "shop", search_request_template, params: {} }],
        },
      });
      return gateway;
    };
    const gateway = await started();
    const properties = { passage: { type: "text" } };
    await request(cluster, "PUT", `/${index}`, { mappings: { properties } });

    const written = await gateway.post("/application/bulk", {
      index,
      refresh: true,
      bulk_request: [
        { id: "a", op: "index", doc: { passage: "water-resistant sandals" } },
        { id: "a", op: "update", doc: { passage: "sandals" } },
      ],
    });
    assert.is(written.body.index_response.errors, false, written.text);
    const [bulk] = proxy.calls.filter(({ path }) => path.endsWith("/_bulk"));
    assert.match(bulk?.body ?? "", '{"passage":"water-resistant sandals"}');

    const inline = { search_request_template: { size: 3, query: { hybrid: { queries: QUERIES } } } };
    const refused = await gateway.post("/application/hybrid-search", { index, search_query: TEXT, ...inline });
    assert.not.equal(refused.status, 200);
    // The cluster itself takes the query for one of such a field, and misses the type alone.
    // It lists the types in any order.
    if (!cluster.version.startsWith("2.")) assert.match(refused.text, /It should be one of \[[a-z_,]*\bsemantic\b/);

    const described = { [index]: { aliases: {}, mappings: { properties: MADE }, settings: {} } };
    const hits = { total: { value: 1, relation: "eq" }, max_score: 1, hits: [{ _index: index, _id: "a", _score: 1 }] };
    const found = { took: 1, timed_out: false, _shards: { total: 1, successful: 1, skipped: 0, failed: 0 }, hits };
    proxy.reset();
    proxy.fault({ path: "/_search", fault: { kind: "status", status: 200, body: found } });
    proxy.fault({ path: `/${index}`, fault: { kind: "status", status: 200, body: described } });
    // It knows no mapping yet.
    const fresh = await started();
    const asked = async (template: object) => {
      const { status, body, text } = await fresh.post("/application/hybrid-search", {
        index,
        search_query: TEXT,
        ...template,
      });
      assert.is(status, 200, text);
      assert.is(body.degraded, undefined, text);
      assert.equal(
        body.search_response.hits.hits.map(({ _id }) => _id),
        ["a"],
      );
      // On 3.6 a second search counts.
      return JSON.parse(proxy.calls.findLast(({ body: sent }) => sent?.includes('"hybrid"'))?.body ?? "{}");
    };
    const sent = await asked(inline);
    assert.equal(sent.query.hybrid.queries, QUERIES);
    assert.equal(sent._source, { excludes: ["passage_semantic_info.embedding", "part.made.embedding"] });
    assert.ok(sent.search_pipeline.phase_results_processors);
    const named = await asked({ template: "shop" });
    assert.equal(named.query.hybrid.queries, hybrid(TEXT));
    const own = await asked({
      search_request_template: { _source: ["passage"], query: { hybrid: { queries: QUERIES } } },
    });
    assert.equal(own._source, ["passage"]);
    for (const model of ["dense_large_en_v1_5", "sparse_v3"] as const) {
      assert.equal(upstreams.models.control.served(model), [], "no model of the gateway is called");
    }
  });

  test(`${cluster.version}: an index with such a field is created, or refused with the version that has it`, async () => {
    const conf = join(folder, index);
    const alias = `${index}-made`;
    writeConf(conf, {}, [{ index: alias, embedding_mappings: [] }]);
    const schema = join(conf, "schema.json");
    const properties = { passage: { type: "semantic", model_id: "m" } };
    writeFileSync(schema, JSON.stringify({ mappings: { properties } }));
    const gateway = await startGateway({
      node: cluster.url,
      settings: { indexes: [] },
      key: { endpoints: ["administration"], indexes: [`${alias}*`] },
    });
    const run = async (...args: string[]) => {
      const { out, err } = await runHere([...args, ...toGateway(conf, gateway.url)]);
      return out + err;
    };
    const said = await run("index", "create", "--index", alias, "--schema_file_path", schema);
    // The local cluster knows the type and looks for the model, which it has no plugin for.
    const wanted = cluster.version.startsWith("2.")
      ? `has OpenSearch ${cluster.version}, and the semantic field passage needs OpenSearch 3.1 or later`
      : "Failed to fetch model [m]";
    assert.ok(said.includes(wanted), said);
    assert.match(await run("backfill", "--index", alias), "has no embedding_mappings to fill");
  });
}

test.after(stopStarted);

test.run();
