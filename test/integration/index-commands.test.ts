import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { changedEmbeddings, incompatibleNotes } from "../../cli/plan/incompatible-indexes.ts";
import { loadHybridSearch } from "../../lib/settings/load.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import type { Run } from "../cli/run-cli.ts";
import { corpus } from "../fixtures/corpus.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { HYBRID_MAPPING, hybridIndex, SETTINGS, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { indexCli, toGateway } from "../fixtures/index-cli.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("relevance index");
await startUpstreams();
const folder = scratchFolder(TEST_OUTPUT, "index-commands");
const conf = join(folder, "conf");
mkdirSync(conf);

interface BuiltIndex {
  settings: { index: { number_of_shards?: string; number_of_replicas?: string } };
  mappings: {
    properties: Record<
      string,
      { method: { parameters: { m?: number; ef_construction?: number; encoder?: { name: string } } } }
    >;
  };
}

/** Starts the command as a user does. */
function start(url: string, ...args: string[]) {
  const { promise, resolve } = Promise.withResolvers<Run>();
  const command = ["cli/main.ts", "index", ...args, ...toGateway(conf, url)];
  const child = execFile(process.execPath, command, { cwd: ROOT }, (error, out, err) => {
    resolve({ code: Number(error?.code ?? 0), out, err });
  });
  return { child, ran: promise };
}

/** Runs it in this process. Each word also runs to its end in a process of its own, once. */
const run = (url: string, ...args: string[]) => indexCli(conf, url).run(...args);

for (const cluster of await clusters()) {
  const alias = uniqueIndex("shop");
  const [dense, sparse] = SETTINGS.models;
  if (dense?.name !== "dense_large_en_v1_5" || !sparse) throw new Error("the models of the tests are others now");

  test(`${cluster.version}: an index is created, rebuilt with another model after a kill, and rolled back`, async () => {
    writeFileSync(
      join(conf, "model.yaml"),
      "dense_large_en_v1_5: {endpoint_name: first}\nsparse_v3: {endpoint_name: first}\n",
    );
    writeFileSync(
      join(conf, "hybrid_search.yaml"),
      `hybrid_queries:
  - index: ${alias}
    embedding_mappings:
      - {embedding_field: text_dense, model_name: dense_large_en_v1_5, src_fields: [text], vectors: sq}
      - {embedding_field: text_sparse, model_name: sparse_v3, src_fields: [text]}
`,
    );
    const schema = join(folder, "schema.json");
    const { text, year, genre } = HYBRID_MAPPING.mappings.properties;
    writeFileSync(
      schema,
      JSON.stringify({ settings: { number_of_replicas: 0 }, mappings: { properties: { text, year, genre } } }),
    );
    const gatewayWith = async (revision: string, ...changed: Array<Partial<typeof dense>>) => {
      const [current, ...previous] = changed;
      const models = [
        { ...dense, revision, ...current },
        { ...sparse, revision: "first" },
        ...previous.map((one) => ({ ...dense, revision: "first", previous: true as const, ...one })),
      ];
      const started = await startGateway({
        node: cluster.url,
        settings: { models, indexes: [hybridIndex(alias)] },
        key: { endpoints: ["administration", "bulk", "hybrid-search"], indexes: [`${alias}*`] },
      });
      return started;
    };
    const search = (gateway: Awaited<ReturnType<typeof gatewayWith>>) =>
      gateway.post("/application/hybrid-search", {
        index: alias,
        search_query: "salt harbour",
        search_request_template: {
          query: {
            hybrid: {
              queries: [{ match: { text: "salt" } }, { knn: { text_dense: { vector: "[text_dense]", k: 10 } } }],
            },
          },
        },
      });
    const before = await gatewayWith("first");
    const { hybrid_queries: hybridQueries, models: modelsBefore } = loadHybridSearch(conf);

    const sizes = ["--shards", "2", "--replicas", "0", "--hnsw-m", "24", "--hnsw-ef-construction", "120"];
    const create = ["create", "--index", alias, "--schema_file_path", schema, ...sizes];
    const created = await start(before.url, ...create).ran;
    assert.is(created.code, 0, created.err);
    /** Returns the shards behind the alias, and the parameters of its vector field. */
    const built = async () => {
      const { body } = await request<Record<string, BuiltIndex>>(cluster, "GET", `/${alias}`);
      const [{ settings, mappings } = { settings: { index: {} }, mappings: { properties: {} } }] = Object.values(body);
      const { m, ef_construction, encoder } = mappings.properties.text_dense?.method.parameters ?? {};
      return [settings.index.number_of_shards, settings.index.number_of_replicas, m, ef_construction, encoder?.name];
    };
    assert.equal(await built(), ["2", "0", 24, 120, "sq"]);
    const write = (gateway: typeof before, from: number, to: number) =>
      gateway.post("/application/bulk", {
        index: alias,
        refresh: true,
        bulk_request: corpus(to)
          .slice(from)
          .map(({ id, doc }) => ({ id, op: "index", doc })),
      });
    assert.is((await write(before, 0, 150)).body.index_response.errors, false);
    assert.is((await search(before)).body.degraded, undefined);

    // The model changes: its vectors cannot be compared with the stored ones.
    const gateway = await gatewayWith("second");
    writeFileSync(
      join(conf, "model.yaml"),
      "dense_large_en_v1_5: {endpoint_name: second}\nsparse_v3: {endpoint_name: first}\n",
    );
    // What the plan says about the new model.
    const old = String(/Created (\S+)/.exec(created.out)?.[1]);
    const planned = { hybridQueries, models: loadHybridSearch(conf).models };
    const mapping = await request<Record<string, { mappings: { _meta: unknown } }>>(cluster, "GET", `/${old}/_mapping`);
    const stored = [{ index: old, aliases: [alias], meta: mapping.body[old]?.mappings._meta }];
    const [words = "", ...others] = incompatibleNotes(
      changedEmbeddings({ hybridQueries, models: modelsBefore }, planned),
      planned,
      stored,
    );
    assert.equal(others, []);
    assert.match(words, `${old}: text_dense has vectors of dense_large_en_v1_5 (first)`);
    assert.match(words, "hybrid searches leave text_dense out (degraded)");
    assert.match(words, `relevance index rebuild --index ${alias} --embed`);
    const degraded = await search(gateway);
    assert.is(degraded.status, 200);
    assert.match(degraded.body.degraded[0]?.reason ?? "", "vectors of another model");
    const written = await write(gateway, 150, 160);
    assert.is(written.body.index_response.errors, false);
    assert.equal(
      written.body.degraded.map(({ target }) => target),
      ["text_dense"],
    );
    const listed = JSON.parse((await start(gateway.url, "list", "--index", `${alias}*`, "--json").ran).out);
    assert.is(listed[0].documents, 160);
    assert.equal(
      listed[0].embeddings.map((one: { field: string; outdated: boolean; lacking?: number }) => [
        one.field,
        one.outdated,
        one.lacking,
      ]),
      [
        ["text_dense", true, 10],
        ["text_sparse", false, undefined],
      ],
    );

    // Calls a previous model instead of the new one, whose endpoint would fail here.
    const kept = await gatewayWith("second", { endpoint_name: "absent" }, {});
    assert.is((await search(kept)).body.degraded, undefined);
    assert.is((await write(kept, 0, 5)).body.degraded, undefined);

    // The source fields change: the vectors stay in use, and are marked.
    const hybridFile = join(conf, "hybrid_search.yaml");
    const hybrid = readFileSync(hybridFile, "utf8");
    writeFileSync(hybridFile, hybrid.replace("sparse_v3, src_fields: [text]", "sparse_v3, src_fields: [text, genre]"));
    assert.match(
      (await run(gateway.url, "list", "--index", `${alias}*`)).out,
      /text_sparse: .*OUTDATED \(other src_fields\)/,
    );
    writeFileSync(hybridFile, hybrid);

    const killed = start(gateway.url, "rebuild", "--index", alias, "--embed");
    const id = await waitFor(
      async () => {
        const { body } = await request<Array<{ index: string; "docs.count": string }>>(
          cluster,
          "GET",
          `/_cat/indices/relevance-run-*?format=json&expand_wildcards=all`,
        );
        for (const { index } of body) {
          const record = await request<{ _source: { source: string; phase: string; epoch: number } }>(
            cluster,
            "GET",
            `/${index}/_doc/run`,
          );
          if (record.body._source?.source === old && record.body._source.epoch > 0)
            return index.slice("relevance-run-".length);
        }
        return undefined;
      },
      { what: "the rebuild", timeoutMs: 60_000 },
    );
    killed.child.kill("SIGKILL");
    await killed.ran;
    const resumed = await start(gateway.url, "rebuild", "--resume", id, "--json").ran;
    assert.is(resumed.code, 0, resumed.err);
    const record = JSON.parse(resumed.out);
    assert.is(record.phase, "switched");

    await waitFor(async () => (await search(await gatewayWith("second"))).body.degraded === undefined, {
      what: "a search without degradation",
      timeoutMs: 30_000,
    });
    const renewed = await gatewayWith("second", {}, { endpoint_name: "absent" });
    assert.is((await search(renewed)).body.degraded, undefined, "the new index is searched with the new model");
    const { body } = await request<{ count: number }>(cluster, "POST", `/${alias}/_count`, {
      query: { exists: { field: "text_dense" } },
    });
    assert.is(body.count, 160);
    assert.equal(await built(), ["2", "0", 24, 120, "sq"], "the new index is built like the old one");

    // Gateway instances that know the old index learn of the new one with the next write.
    const late = await write(gateway, 160, 163);
    assert.is(late.body.degraded, undefined);
    const back = await run(gateway.url, "switch", "--run", id, "--back");
    assert.is(back.code, 2);
    assert.match(back.err, "The old index lacks 3 writes since the switch.");
    assert.is((await start(gateway.url, "switch", "--run", id, "--back", "--yes").ran).code, 0);
    const behind = await request<object>(cluster, "GET", `/_alias/${alias}`);
    assert.equal(Object.keys(behind.body), [old]);
    assert.match((await start(gateway.url, "status", "--run", id).ran).out, "rolled back");
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
    const gateway = await startGateway({
      node: cluster.url,
      key: { endpoints: ["administration"], indexes: [`${name}*`] },
    });
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
    assert.is((await start(gateway.url, "cancel", "--run", id).ran).code, 0);
    assert.is((await request(cluster, "HEAD", `/${target}`)).status, 404);
    assert.is((await request(cluster, "PUT", `/${name}/_doc/c`, { n: "z" })).status, 201, "the old index takes writes");
  });
}

test.after(stopStarted);

test.run();
