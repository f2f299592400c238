import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { changedEmbeddings, incompatibleNotes } from "../../cli/plan/incompatible-indexes.ts";
import { loadHybridSearch } from "../../lib/settings/load.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { corpus } from "../fixtures/corpus.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import {
  HYBRID_MAPPING,
  hybridIndex,
  SETTINGS,
  startGateway,
  startUpstreams,
  type TestGateway,
} from "../fixtures/gateway.ts";
import { indexCli, toGateway, writeConf } from "../fixtures/index-cli.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("relevance index");
await startUpstreams();
const folder = scratchFolder(TEST_OUTPUT, "index-commands");
const conf = join(folder, "conf");
const hybridFile = join(conf, "hybrid_search.yaml");

interface BuiltIndex {
  settings: { index: { number_of_shards?: string; number_of_replicas?: string } };
  mappings: {
    properties: Record<
      string,
      { method: { parameters: { m?: number; ef_construction?: number; encoder?: { name: string } } } }
    >;
  };
}

const run = (url: string, ...args: string[]) => indexCli(conf, url).run(...args);

const [dense, sparse] = SETTINGS.models;
if (dense?.name !== "dense_large_en_v1_5" || !sparse) throw new Error("the models of the tests are others now");

for (const cluster of await clusters()) {
  const { version } = cluster;
  const alias = uniqueIndex("shop");
  const configure = (revision: string, src_fields = ["text"]) =>
    writeConf(conf, { dense_large_en_v1_5: { endpoint_name: revision }, sparse_v3: { endpoint_name: "first" } }, [
      {
        index: alias,
        embedding_mappings: [
          { embedding_field: "text_dense", model_name: "dense_large_en_v1_5", src_fields: ["text"], vectors: "sq" },
          { embedding_field: "text_sparse", model_name: "sparse_v3", src_fields },
        ],
      },
    ]);
  const gatewayWith = (revision: string, ...changed: Array<Partial<typeof dense>>) => {
    const [current, ...previous] = changed;
    const models = [
      { ...dense, revision, ...current },
      { ...sparse, revision: "first" },
      ...previous.map((one) => ({ ...dense, revision: "first", previous: true as const, ...one })),
    ];
    return startGateway({
      node: cluster.url,

      settings: { models, indexes: [hybridIndex(alias)] },
      key: { endpoints: ["administration", "bulk", "hybrid-search"], indexes: [`${alias}*`] },
    });
  };
  const search = (to: TestGateway) =>
    to.post("/application/hybrid-search", {
      ...{ index: alias, search_query: "salt harbour" },
      search_request_template: {
        query: {
          hybrid: {
            queries: [{ match: { text: "salt" } }, { knn: { text_dense: { vector: "[text_dense]", k: 10 } } }],
          },
        },
      },
    });
  const write = (to: TestGateway, from: number, end: number) => {
    const bulk_request = corpus(end).map(({ id, doc }) => ({ id, op: "index", doc }));
    return to.post("/application/bulk", { index: alias, refresh: true, bulk_request: bulk_request.slice(from) });
  };
  /** Returns the shards behind the alias, and the parameters of its vector field. */
  const built = async () => {
    const { body } = await request<Record<string, BuiltIndex>>(cluster, "GET", `/${alias}`);
    const [{ settings, mappings } = { settings: { index: {} }, mappings: { properties: {} } }] = Object.values(body);
    const { m, ef_construction, encoder } = mappings.properties.text_dense?.method.parameters ?? {};
    return [settings.index.number_of_shards, settings.index.number_of_replicas, m, ef_construction, encoder?.name];
  };
  const behind = async () => Object.keys((await request<object>(cluster, "GET", `/_alias/${alias}`)).body);
  const SIZES = ["2", "0", 24, 120, "sq"];
  let [old, id] = ["", ""];
  let gateway: TestGateway;
  let before: ReturnType<typeof loadHybridSearch>;

  test(`${version}: create makes an index behind an alias as the options say`, async () => {
    configure("first");
    before = loadHybridSearch(conf);
    gateway = await gatewayWith("first");
    const schema = join(folder, "schema.json");
    const { text, year, genre } = HYBRID_MAPPING.mappings.properties;
    writeFileSync(
      schema,
      JSON.stringify({ settings: { number_of_replicas: 0 }, mappings: { properties: { text, year, genre } } }),
    );
    const sizes = ["--shards", "2", "--replicas", "0", "--hnsw-m", "24", "--hnsw-ef-construction", "120"];
    const created = await run(gateway.url, "create", "--index", alias, "--schema_file_path", schema, ...sizes);
    assert.is(created.code, 0, created.err);
    old = String(/Created (\S+)/.exec(created.out)?.[1]);
    assert.equal([await behind(), await built()], [[old], SIZES]);
    assert.is((await write(gateway, 0, 150)).body.index_response.errors, false);
    assert.is((await search(gateway)).body.degraded, undefined);
  });

  test(`${version}: the plan says what becomes of vectors that another model has made`, async () => {
    configure("second");
    const { hybrid_queries: hybridQueries, models } = loadHybridSearch(conf);
    const mapping = await request<Record<string, { mappings: { _meta: unknown } }>>(cluster, "GET", `/${old}/_mapping`);
    const stored = [{ index: old, aliases: [alias], meta: mapping.body[old]?.mappings._meta }];
    const planned = { hybridQueries, models };
    const changed = changedEmbeddings({ hybridQueries, models: before.models }, planned);
    const [words = "", ...others] = incompatibleNotes(changed, planned, stored);
    assert.equal(others, []);
    assert.match(words, `${old}: text_dense has vectors of dense_large_en_v1_5 (first)`);
    assert.match(words, "hybrid searches leave text_dense out (degraded)");
    assert.match(words, `relevance index rebuild --index ${alias} --embed`);
  });

  test(`${version}: searches and writes leave out vectors of another model, and the list marks them`, async () => {
    gateway = await gatewayWith("second");
    const degraded = await search(gateway);
    assert.is(degraded.status, 200);
    assert.match(degraded.body.degraded[0]?.reason ?? "", "vectors of another model");
    const { body } = await write(gateway, 150, 160);
    assert.equal([body.index_response.errors, body.degraded.map(({ target }) => target)], [false, ["text_dense"]]);
    const [listed] = JSON.parse((await run(gateway.url, "list", "--index", `${alias}*`, "--json")).out);
    const embeddings = listed.embeddings as Array<{ field: string; outdated: boolean; lacking?: number }>;
    assert.equal(
      [listed.documents, ...embeddings.map(({ field, outdated, lacking }) => [field, outdated, lacking])],
      [160, ["text_dense", true, 10], ["text_sparse", false, undefined]],
    );
  });

  test(`${version}: a previous model is called in place of the new one, whose endpoint would fail`, async () => {
    const kept = await gatewayWith("second", { endpoint_name: "absent" }, {});
    assert.is((await search(kept)).body.degraded, undefined);
    assert.is((await write(kept, 0, 5)).body.degraded, undefined);
  });

  test(`${version}: the list marks vectors of other source fields, which stay in use`, async () => {
    const hybrid = readFileSync(hybridFile, "utf8");
    configure("second", ["text", "genre"]);
    const { out } = await run(gateway.url, "list", "--index", `${alias}*`);
    assert.match(out, /text_sparse: .*OUTDATED \(other src_fields\)/);
    writeFileSync(hybridFile, hybrid);
  });

  test(`${version}: a rebuild that is killed is resumed, embeds all documents, and is built like the old index`, async () => {
    const command = ["cli/main.ts", "index", "rebuild", "--index", alias, "--embed", ...toGateway(conf, gateway.url)];
    const ended = Promise.withResolvers<void>();
    const child = execFile(process.execPath, command, { cwd: ROOT }, () => ended.resolve());
    const begun = async () => {
      const path = "/_cat/indices/relevance-run-*?format=json&expand_wildcards=all";
      for (const { index } of (await request<Array<{ index: string }>>(cluster, "GET", path)).body) {
        type Run = { _source?: { source: string; epoch: number } };
        const { _source } = (await request<Run>(cluster, "GET", `/${index}/_doc/run`)).body;
        if (_source?.source === old && _source.epoch > 0) return index.slice("relevance-run-".length);
      }
      return undefined;
    };
    id = await waitFor(begun, { what: "the rebuild", timeoutMs: 60_000 });
    child.kill("SIGKILL");
    await ended.promise;
    const resumed = await run(gateway.url, "rebuild", "--resume", id, "--json");
    assert.is(resumed.code, 0, resumed.err);
    assert.is(JSON.parse(resumed.out).phase, "switched");
    const query = { query: { exists: { field: "text_dense" } } };
    const { body } = await request<{ count: number }>(cluster, "POST", `/${alias}/_count`, query);
    assert.equal([body.count, await built()], [160, SIZES]);
  });

  test(`${version}: the new index is searched with the new model, and gateways learn of it with the next write`, async () => {
    const renewed = await gatewayWith("second", {}, { endpoint_name: "absent" });
    assert.is((await search(renewed)).body.degraded, undefined);
    assert.is((await write(gateway, 160, 163)).body.degraded, undefined);
  });

  test(`${version}: a switch is taken back only if told so when the old index lacks writes`, async () => {
    const back = await run(gateway.url, "switch", "--run", id, "--back");
    assert.is(back.code, 2);
    assert.match(back.err, "The old index lacks 3 writes since the switch.");
    assert.is((await run(gateway.url, "switch", "--run", id, "--back", "--yes")).code, 0);
    assert.equal(await behind(), [old]);
    assert.match((await run(gateway.url, "status", "--run", id)).out, "rolled back");
  });

  test(`${cluster.version}: rejected documents stop a rebuild, which can be cancelled`, async () => {
    const name = uniqueIndex("numbers");
    await request(cluster, "PUT", `/${name}-1`, {
      mappings: { properties: { n: { type: "keyword" } } },
      aliases: { [name]: {} },
    });
    await request(
      cluster,
      "POST",
      `/${name}/_bulk?refresh=true`,
      '{"index":{"_id":"a"}}\n{"n":"7"}\n{"index":{"_id":"b"}}\n{"n":"x"}\n',
    );
    const key = { endpoints: ["administration" as const], indexes: [`${name}*`] };
    const gateway = await startGateway({ node: cluster.url, key });
    const schema = join(folder, "numbers.json");
    writeFileSync(schema, JSON.stringify({ mappings: { properties: { n: { type: "integer" } } } }));
    const { code, err } = await run(gateway.url, "rebuild", "--index", name, "--schema", schema);
    assert.is(code, 1);
    assert.match(err, "rejected 1 documents");
    const [, id = "", target = ""] = /Run (\S+) copies \S+ to (\S+)/.exec(err) ?? [];
    const status = JSON.parse((await run(gateway.url, "status", "--run", id, "--json")).out);
    assert.equal(
      status.rejects.map(({ id: rejected }: { id: string }) => rejected),
      ["b"],
    );
    assert.equal(status.tally, { read: 2, written: 1, unchanged: 0, rejected: 1, deleted: 0 });
    assert.is((await run(gateway.url, "cancel", "--run", id)).code, 0);
    assert.is((await request(cluster, "HEAD", `/${target}`)).status, 404);
    assert.is((await request(cluster, "PUT", `/${name}/_doc/c`, { n: "z" })).status, 201, "the old index takes writes");
  });
}

test.after(stopStarted);

test.run();
