import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import {
  lacking,
  VECTOR_NAMES,
  VECTORS,
  type Vectors,
  vectorField,
  vectorsOfField,
} from "../../lib/settings/vectors.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { corpus } from "../fixtures/corpus.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { indexCli, type Stored, writeConf } from "../fixtures/index-cli.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("kinds of vectors");
const folder = scratchFolder(TEST_OUTPUT, "index-vectors");
await startUpstreams();

const QUERIES = [
  "salt harbour",
  "storm at the lighthouse",
  "caravan in the dunes",
  "tram on the bridge",
  "a fox on moss",
];

for (const cluster of await clusters()) {
  test(`${cluster.version}: takes the mapping of every kind that its version has, and says what it is`, async () => {
    const taken: Partial<Record<Vectors, unknown>> = {};
    for (const vectors of VECTOR_NAMES) {
      for (const parameters of [{}, { m: 24 }]) {
        const index = uniqueIndex("mapped");
        const { of } = VECTORS[vectors];
        const field = vectorField(vectors, of === "dense" ? 64 : undefined, parameters);
        const kind = vectors === "sparse_vector" ? { sparse: true } : { knn: true };
        const settings = { number_of_replicas: 0, ...kind };
        const { status } = await request(cluster, "PUT", `/${index}`, {
          settings: { index: settings },
          mappings: { properties: { v: field } },
        });
        const { body } = await request<Stored>(cluster, "GET", `/${index}/_mapping`);
        taken[vectors] = status === 200 ? vectorsOfField(body[index]?.mappings.properties.v ?? {}) : status;
        await request(cluster, "DELETE", `/${index}`);
      }
    }
    const wanted = VECTOR_NAMES.map((name) => [name, lacking(name, cluster.version) ? 400 : name]);
    assert.equal(taken, Object.fromEntries(wanted));
  });

  test(`${cluster.version}: an index in use goes from floats to bytes, measured before the switch`, async () => {
    const alias = uniqueIndex("bytes");
    const conf = join(folder, alias);
    const [dense] = hybridIndex(alias).embedding_mappings;
    const configure = (more: object) =>
      writeConf(conf, { dense_large_en_v1_5: { endpoint_name: "dense", revision: "1" } }, [
        { index: alias, embedding_mappings: [{ ...dense, ...more }] },
      ]);
    configure({});
    const gateway = await startGateway({
      node: cluster.url,
      settings: { indexes: [hybridIndex(alias, { embedding_mappings: dense ? [dense] : [] })] },
      key: {
        endpoints: ["administration", "bulk", "hybrid-search"],
        indexes: [`${alias}*`],
        scripts: true,
      },
    });
    const { run, runBeside } = indexCli(conf, gateway.url);
    const schema = join(conf, "schema.json");
    const properties = { text: { type: "text" }, year: { type: "integer" }, genre: { type: "keyword" } };
    writeFileSync(schema, JSON.stringify({ settings: { number_of_replicas: 0 }, mappings: { properties } }));
    const created = await run("create", "--index", alias, "--schema_file_path", schema, "--hnsw-m", "24");
    assert.is(created.code, 0, created.err);
    const write = async (from: number, to: number, op = "index") => {
      const operations = corpus(to)
        .slice(from)
        .map(({ id, doc }) => ({ id, op, doc }));
      const { body } = await gateway.post("/application/bulk", {
        index: alias,
        refresh: true,
        bulk_request: operations,
      });
      assert.is(body.index_response.errors, false, JSON.stringify(body).slice(0, 500));
      assert.is(body.degraded, undefined);
    };
    await write(0, 120);

    const queries = join(conf, "queries.txt");
    writeFileSync(queries, QUERIES.join("\n"));
    const measured = await runBeside("recall", "--index", alias, "--vectors", "byte", "--queries", queries, "--json");
    assert.is(measured.code, 0, measured.err);
    const [report] = JSON.parse(measured.out);
    assert.is(report.documents, 120);
    assert.is(report.queries, QUERIES.length);
    assert.ok(report.recall.mean > 0.8, measured.out);
    const { body: left } = await request<object>(cluster, "GET", `/${alias}*`);
    assert.is(Object.keys(left).length, 1, "the copy is removed");

    configure({ vectors: "byte" });
    const rebuilt = await run("rebuild", "--index", alias, "--no-switch", "--json");
    assert.is(rebuilt.code, 0, rebuilt.err);
    const { id, target, tally } = JSON.parse(rebuilt.out);
    assert.is(tally.written, 120);
    const judgments = join(conf, "judgments.csv");
    writeFileSync(judgments, `query,doc,grade\n${QUERIES.map((query, at) => `${query},d${at},1`).join("\n")}\n`);
    const before = await run("recall", "--index", alias, "--run", id, "--judgments", judgments);
    assert.is(before.code, 0, before.err);
    assert.match(before.out, /^text_dense: recall@10 (0\.\d+|1\.000) .*nDCG@10/);
    // Without either it searches for what users searched for in these days.
    gateway.log.length = 0;
    for (const search_query of QUERIES.slice(0, 2)) {
      const search_request_template = { query: { hybrid: { queries: [{ match: { text: search_query } }] } } };
      await gateway.post("/application/hybrid-search", { index: alias, search_query, search_request_template });
    }
    const logs = join(conf, "logs");
    const store = (text: string, line: object, daysAgo: number) => {
      const timestamp = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
      const day = join(logs, "search", `day=${timestamp.slice(0, 10)}`);
      mkdirSync(day, { recursive: true });
      appendFileSync(join(day, "lines"), `${JSON.stringify({ ...line, user_query: text, timestamp })}\n`);
    };
    const lines = gateway.log.map((line): { user_query: string } => JSON.parse(line));
    assert.is(lines.length, 2);
    for (const line of lines) store(line.user_query, line, 1);
    store(QUERIES[2] ?? "", { ...lines[0], query_id: "old" }, 20);
    const ofLog = async (days: string) => {
      const logged = await run("recall", "--index", alias, "--run", id, "--days", days, "--files", logs, "--json");
      assert.is(logged.code, 0, logged.err);
      return JSON.parse(logged.out)[0].queries;
    };
    assert.equal([await ofLog("7"), await ofLog("30")], [2, 3]);
    const switched = await run("switch", "--run", id);
    assert.is(switched.code, 0, switched.err);

    const { body } = await request<Stored>(cluster, "GET", `/${target}/_mapping`);
    const { method, ...field } = body[target]?.mappings.properties.text_dense ?? {};
    assert.is(vectorsOfField(field), "byte");
    assert.equal((method as { parameters: object }).parameters, { m: 24 }, "parameters of the graph stay");
    const found = await gateway.post("/application/hybrid-search", {
      index: alias,
      search_query: "salt harbour",
      search_request_template: {
        query: { hybrid: { queries: [{ knn: { text_dense: { vector: "[text_dense]", k: 10 } } }] } },
      },
    });
    assert.is(found.status, 200, found.text);
    assert.is(found.body.search_response.hits.hits.length, 10);
    assert.is(found.body.degraded, undefined);
  });

  test(`${cluster.version}: has sparse vectors by id and finds the same, or refuses them and names a version`, async () => {
    const alias = uniqueIndex("by-id");
    const conf = join(folder, alias);
    const mappings = hybridIndex(alias).embedding_mappings.slice(1);
    writeConf(conf, { sparse_v3: { endpoint_name: "sparse", revision: "1" } }, [
      { index: alias, embedding_mappings: mappings.map((one) => ({ ...one, vectors: "sparse_vector" })) },
    ]);
    const schema = join(conf, "schema.json");
    writeFileSync(schema, JSON.stringify({ mappings: { properties: { text: { type: "text" } } } }));
    const plain = `${alias}-plain`;
    const gateway = await startGateway({
      node: cluster.url,
      settings: { indexes: [alias, plain].map((index) => hybridIndex(index, { embedding_mappings: mappings })) },
      key: { endpoints: ["administration", "bulk", "hybrid-search"], indexes: [`${alias}*`] },
    });
    const { code, err } = await indexCli(conf, gateway.url).run(
      "create",
      "--index",
      alias,
      "--schema_file_path",
      schema,
    );
    const problem = lacking("sparse_vector", cluster.version);
    assert.is(code, problem ? 1 : 0, err);
    if (problem) {
      assert.match(err, `has OpenSearch ${cluster.version}, and vectors: sparse_vector of text_sparse ${problem}`);
      return;
    }
    const properties = { text: { type: "text" }, text_sparse: { type: "rank_features" } };
    await request(cluster, "PUT", `/${plain}`, { mappings: { properties } });
    const search = async (index: string) => {
      const { body, text } = await gateway.post("/application/hybrid-search", {
        index,
        search_query: "salt harbour lighthouse",
        search_request_template: { size: 20, query: { hybrid: { queries: [{ bool: { should: "[text_sparse]" } }] } } },
      });
      assert.is(body.degraded, undefined, text);
      return {
        total: body.search_response.hits.total.value,
        ids: body.search_response.hits.hits.map(({ _id }) => _id),
      };
    };
    for (const index of [alias, plain]) {
      const write = async (operations: object[]) => {
        const { body } = await gateway.post("/application/bulk", { index, refresh: true, bulk_request: operations });
        assert.is(body.index_response.errors, false, JSON.stringify(body).slice(0, 500));
      };
      await write([...corpus(60).map(({ id, doc: { text } }) => ({ id, op: "index", doc: { text } }))]);
      await write([
        { id: "d1", op: "update", doc: { text: "salt harbour lighthouse" } },
        { id: "d2", op: "update", doc: { text: "" } },
        { id: "empty", op: "index", doc: { text: "" } },
      ]);
    }
    const [byId, byToken] = [await search(alias), await search(plain)];
    assert.is(byId.total, byToken.total);
    assert.ok(byId.ids.includes("d1"), byId.ids.join());
    assert.not.ok(byId.ids.includes("d2"), "the embedding of an emptied text is gone");
    const same = byId.ids.filter((id) => byToken.ids.includes(id)).length;
    assert.ok(same >= 0.8 * byToken.ids.length, `${same} of ${byToken.ids.length}`);
    const { body } = await request<{ _source: { text_sparse: unknown } }>(cluster, "GET", `/${alias}/_doc/d3`);
    assert.ok(
      Object.keys(Object(body._source.text_sparse)).every((key) => /^\d+$/.test(key)),
      "tokens are ids",
    );
  });
}

test.after(stopStarted);

test.run();
