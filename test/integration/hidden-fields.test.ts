import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { isHidden } from "../../lib/search/opensearch/hidden-fields.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { runHere } from "../cli/run-here.ts";
import { corpus } from "../fixtures/corpus.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { startFaultProxy } from "../fixtures/fault-proxy.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import type { Json } from "../fixtures/gateway-json.ts";
import { indexCli, toGateway, writeConf } from "../fixtures/index-cli.ts";
import { type Cluster, clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("fields that documents do not show");
const folder = scratchFolder(TEST_OUTPUT, "hidden-fields");
await startUpstreams();

const MAPPINGS = [
  { embedding_field: "text_dense", model_name: "dense_large_en_v1_5" as const, src_fields: ["title", "text"] },
  { embedding_field: "text_sparse", model_name: "sparse_v3" as const, src_fields: ["title", "text"] },
];
const EMBEDDINGS = { excludes: ["*_dense", "text_sparse"] };

const conf = join(folder, "conf");
const named = (endpoint_name: string) => ({ endpoint_name, revision: "1" });
writeConf(conf, { dense_large_en_v1_5: named("dense"), sparse_v3: named("sparse") }, [
  { index: "hidden-*", embedding_mappings: MAPPINGS },
]);

/** A gateway whose calls can fail. */
async function started(cluster: Cluster) {
  const proxy = await startFaultProxy(cluster.url);
  const gateway = await startGateway({
    node: proxy.url,
    settings: { indexes: [hybridIndex("hidden-*", { embedding_mappings: MAPPINGS })] },
    key: { endpoints: ["administration", "bulk", "search", "hybrid-search"], indexes: ["hidden-*"], scripts: true },
  });
  return { cluster, proxy, gateway };
}

/** An alias of an index whose mapping has this `_source`, with twelve documents. */
async function world({ cluster, proxy, gateway }: Awaited<ReturnType<typeof started>>, _source: object) {
  const alias = uniqueIndex("hidden");
  const { settings, mappings } = HYBRID_MAPPING;
  const properties = { ...mappings.properties, title: { type: "text" }, price: { type: "integer" } };
  const index = `${alias}-1`;
  const created = { settings, mappings: { _source, properties }, aliases: { [alias]: {} } };
  assert.is((await request(cluster, "PUT", `/${index}`, created)).status, 200);
  const bulk = (bulk_request: object[]) =>
    gateway.post("/application/bulk", { index: alias, refresh: true, bulk_request });
  const { body, text } = await bulk(
    corpus(12).map(({ id, doc }) => ({ id, op: "index", doc: { title: `title ${id}`, text: doc.text, price: 1 } })),
  );
  assert.is(body.index_response?.errors, false, text);
  /** How many documents each kind of search finds. */
  const found = async () => {
    const count = async (query: object) => {
      await request(cluster, "POST", `/${alias}/_refresh`);
      const answer = await request<{ count: number }>(cluster, "POST", `/${alias}/_count`, { query });
      return answer.body.count;
    };
    const sparse = await gateway.post<Json>("/application/hybrid-search", {
      index: alias,
      search_query: corpus(12)[0]?.doc.text,
      search_request_template: {
        size: 20,
        query: { hybrid: { queries: [{ neural_sparse: { text_sparse: { query_tokens: "[text_sparse]" } } }] } },
      },
    });
    return {
      words: await count({ exists: { field: "text" } }),
      dense: await count({ exists: { field: "text_dense" } }),
      sparse: sparse.body.search_response?.hits.hits.length,
      price: await count({ term: { price: 99 } }),
    };
  };
  const indexes = async () =>
    Object.keys((await request<object>(cluster, "GET", `/_cat/indices/${alias}*?format=json`)).body).length;
  return { alias, proxy, gateway, bulk, found, indexes, ...indexCli(conf, gateway.url) };
}

const ALL = { words: 12, dense: 12, price: 0 };

for (const cluster of await clusters()) {
  const { version } = cluster;
  const own = await started(cluster);

  test(`${version}: the cluster stores of a document what we say that it shows`, async () => {
    const doc = { a: { b: { c: "1", d: "2" }, e: "3" }, "a.f": "4", x_dense: "5", y: "6" };
    const paths = ["a.b.c", "a.b.d", "a.e", "a.f", "x_dense", "y"];
    const filters = [
      { excludes: ["*dense"] },
      { excludes: ["a.*.d", "y"] },
      { excludes: ["a"] },
      { excludes: ["a.*"] },
      { excludes: ["*.c"] },
      { includes: ["a"] },
      { includes: ["a.b.c", "y"], excludes: ["a.b"] },
      { includes: ["*"], excludes: ["*b*"] },
      { includes: ["a*"], excludes: ["a.f", "a.e"] },
      { includes: ["?"] },
      { enabled: false },
      {},
    ];
    const [stored, said]: [unknown[], unknown[]] = [[], []];
    for (const filter of filters) {
      const index = uniqueIndex("shown");
      await request(cluster, "PUT", `/${index}`, { mappings: { _source: filter } });
      await request(cluster, "PUT", `/${index}/_doc/1?refresh=true`, doc);
      const { body } = await request<{ _source?: object }>(cluster, "GET", `/${index}/_doc/1`);
      const shown = JSON.stringify(body._source ?? {});
      stored.push(paths.filter((_, at) => shown.includes(`"${at + 1}"`)));
      said.push(paths.filter((path) => !isHidden(filter, path)));
    }
    assert.equal(said, stored);
  });

  test(`${version}: a rebuild embeds again what documents do not show, and as many are found as before`, async () => {
    const { alias, found, run } = await world(own, EMBEDDINGS);
    const before = await found();
    assert.equal([before.words, before.dense, (before.sparse ?? 0) > 3], [12, 12, true]);
    const { code, err, out } = await run("rebuild", "--index", alias);
    assert.is(code, 0, err);
    assert.match(err, "embeds again: documents do not show text_dense, text_sparse");
    assert.match(out, `${alias} now points to`);
    assert.equal(await found(), before);
  });

  for (const [what, _source] of [
    ["excluded", { excludes: ["text", "text_dense", "nothing"] }],
    ["not included", { includes: ["title", "price", "year", "genre", "text_sparse"] }],
  ] as const) {
    test(`${version}: a rebuild that would lose ${what} text is refused by the field's name, and leaves nothing`, async () => {
      const { alias, found, indexes, run } = await world(own, _source);
      const { code, err } = await run("rebuild", "--index", alias);
      assert.is(code, 1);
      assert.match(err, `The documents of ${alias}-1 do not show text (`);
      assert.equal({ ...(await found()), sparse: undefined }, { ...ALL, sparse: undefined });
      assert.is(await indexes(), 1);
    });
  }

  test(`${version}: an update keeps vector and tokens that documents do not show`, async () => {
    const { bulk, found } = await world(own, EMBEDDINGS);
    const before = await found();
    const { body } = await bulk([
      { id: corpus(1)[0]?.id, op: "update", doc: { price: 99 } },
      { id: corpus(2)[1]?.id, op: "update", doc: { price: 98 } },
      { id: corpus(2)[1]?.id, op: "update", doc: { price: 99 } },
    ]);
    assert.equal([body.index_response?.errors, body.degraded], [false, undefined]);
    assert.equal(await found(), { ...before, price: 2 });
  });

  test(`${version}: an update that would embed a part of the text alone is refused by the field's name`, async () => {
    const { bulk, found } = await world(own, { excludes: ["text", "text_dense"] });
    const [first, second, third] = corpus(3).map(({ id }) => id);
    const { status, body } = await bulk([
      { id: first, op: "update", doc: { price: 99 } },
      { id: second, op: "update", doc: { title: "salt" } },
      { id: third, op: "update", doc: { title: "salt", text: "road" } },
      { id: "new", op: "update", doc_as_upsert: true, doc: { title: "sea", text: "red" } },
    ]);
    assert.is(status, 200);
    const items = body.index_response.items.flatMap((item) => Object.values(item));
    assert.equal(
      items.map((item) => [item.status, item.error?.type]),
      [
        [400, "hidden_source_field"],
        [400, "hidden_source_field"],
        [200, undefined],
        [201, undefined],
      ],
    );
    assert.match(items[0]?.error?.reason ?? "", "text_dense is made of text, which the index's documents do not show");
    assert.equal({ ...(await found()), sparse: 0 }, { words: 13, dense: 13, sparse: 0, price: 0 });
  });

  test(`${version}: an index that keeps no documents refuses updates with the reason, and takes upserts of new ones`, async () => {
    const { bulk } = await world(own, { enabled: false });
    const { status, body } = await bulk([
      { id: corpus(1)[0]?.id, op: "update", doc: { price: 99 } },
      { id: "new", op: "update", doc_as_upsert: true, doc: { title: "sea" } },
    ]);
    const items = body.index_response?.items.flatMap((item) => Object.values(item));
    assert.equal([status, ...items.map((item) => item.error?.type)], [200, "hidden_source_field", undefined]);
  });

  test(`${version}: a write whose answer is lost counts as done, although its embeddings are not shown`, async () => {
    const { alias, proxy, bulk } = await world(own, EMBEDDINGS);
    proxy.fault({ path: `/${alias}/_bulk`, fault: { kind: "drop_after" }, times: 1 });
    const { status, body } = await bulk([{ id: "late", op: "index", doc: { title: "salt", text: "road" } }]);
    assert.equal([status, body.index_response?.errors], [200, false], JSON.stringify(body));
  });

  test(`${version}: a backfill embeds what is lacking, and is refused where updates would lose another field`, async () => {
    const ours = await world(own, EMBEDDINGS);
    const before = await ours.found();
    await request(cluster, "PUT", `/${ours.alias}/_doc/bare?refresh=true`, { title: "salt", text: "bare" });
    const command = (index: string) => runHere(["backfill", "--index", index, ...toGateway(conf, own.gateway.url)]);
    assert.is((await command(ours.alias)).code, 0);
    assert.equal({ ...(await ours.found()), sparse: 0 }, { ...before, words: 13, dense: 13, sparse: 0 });
    const theirs = await world(own, { excludes: ["price"] });
    const { code, err } = await command(theirs.alias);
    assert.is(code, 1);
    assert.match(err, "do not show price");
  });

  test(`${version}: variety by a vector that documents do not show fails with the reason`, async () => {
    const { alias, gateway } = await world(own, EMBEDDINGS);
    const { body } = await gateway.post<Json & { stages: unknown[] }>("/application/search", {
      index: alias,
      search_request: { query: { match_all: {} } },
      variety: { similarity: { field: "text_dense", weight: 0.5 } },
    });
    assert.equal(body.degraded, [
      {
        stage: "variety",
        target: "search_response",
        reason: `the documents of ${alias}-1 do not show text_dense (\`_source\` of the mapping)`,
        effect: "similar hits are not moved apart",
      },
    ]);
  });

  test(`${version}: recall of a vector that documents do not show is refused with what to do`, async () => {
    const { alias, run } = await world(own, EMBEDDINGS);
    const queries = join(folder, "queries.txt");
    writeFileSync(queries, "salt harbour\n");
    const { code, err } = await run("recall", "--index", alias, "--vectors", "byte", "--queries", queries);
    assert.is(code, 1, err);
    assert.match(err, `do not show text_dense: rebuild with --no-switch`);
  });
}

test.after(stopStarted);

test.run();
