import * as assert from "uvu/assert";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("index expressions");
await startUpstreams();

const KEYWORD = { match: { text: "salt" } };
const DENSE = { knn: { text_dense: { vector: "[text_dense]", k: 30 } } };

/** The models of the entries: the same field, in another order of its source fields or by another model. */
const other = { embedding_field: "text_dense", model_name: "ext_embed_english_v3" as const, src_fields: ["text"] };

for (const cluster of await clusters()) {
  const own = uniqueIndex("expr");
  let gateway: TestGateway;

  test.before(async () => {
    const one = hybridIndex(`${own}-shop*`);
    gateway = await startGateway({
      node: cluster.url,
      settings: {
        indexes: [
          one,
          hybridIndex(`${own}-same*`),
          hybridIndex(`${own}-fewer*`, { candidates: 7 }),
          hybridIndex(`${own}-model*`, { embedding_mappings: [other, ...one.embedding_mappings.slice(1)] }),
        ],
      },
    });
  });

  const create = (name: string, more: object = {}) =>
    request(cluster, "PUT", `/${name}`, { ...HYBRID_MAPPING, ...more });
  const write = (index: string, op: "index" | "create" = "index", doc: object = {}, id = "1") =>
    gateway.post("/application/bulk", {
      index,
      refresh: true,
      bulk_request: [{ id, op, doc: { text: "salt and sea", ...doc } }],
    });
  const search = (index: string, queries: object[] = [DENSE]) =>
    gateway.post("/application/hybrid-search", {
      index,
      search_query: "salt",
      search_request_template: { query: { hybrid: { queries } } },
    });
  const stored = async (index: string) => {
    const { body } = await request<{ hits: { hits: Array<{ _index: string; _source: Record<string, unknown> }> } }>(
      cluster,
      "POST",
      `/${index}/_search`,
      {},
    );
    return body.hits.hits.map(({ _index, _source }) => [_index, Array.isArray(_source.text_dense)]);
  };
  const found = async (index: string) => {
    const { status, body, text } = await search(index);
    assert.is(status, 200, text);
    assert.equal(body.degraded ?? [], []);
    return body.search_response.hits.hits.map(({ _index }) => _index);
  };

  test(`${cluster.version}: an alias that a prefix entry fits embeds, on writing and on searching`, async () => {
    const catalog = `${own}-catalog-1`;
    await create(catalog, { aliases: { [`${own}-shop-live`]: {} } });
    const { status, text } = await write(`${own}-shop-live`);
    assert.is(status, 200, text);
    assert.equal(await stored(catalog), [[catalog, true]]);
    // However the index is named.
    for (const name of [`${own}-shop-live`, catalog, `${own}-catal*`, `${own}-shop-l*`]) {
      assert.equal(await found(name), [catalog], name);
    }
    assert.is((await write(catalog, "index", { year: 2 })).status, 200);
    assert.equal(await stored(catalog), [[catalog, true]]);
  });

  test(`${cluster.version}: what the cluster cannot explain is no error: nested fields, and the filter of an alias`, async () => {
    const [index, alias] = [`${own}-shop-nested`, `${own}-shop-sea`];
    const plain = `${own}-shop-plain`;
    const properties = { ...HYBRID_MAPPING.mappings.properties, parts: { type: "nested" } };
    await create(index, { mappings: { properties } });
    await create(plain, { aliases: { [alias]: { filter: { term: { genre: "sea" } } } } });
    for (const name of [index, plain]) await write(name, "index", { genre: "sea" });
    for (const [name, stages] of [
      [index, ["explanation"]],
      [alias, ["explanation"]],
      [plain, []],
    ] as const) {
      const search_request_template = { query: { hybrid: { queries: [KEYWORD, DENSE] } }, explain: true };
      const asked = { index: name, search_query: "salt", search_request_template };
      const { status, body, text } = await gateway.post("/application/hybrid-search", asked);
      assert.is(status, 200, text);
      assert.equal(
        (body.degraded ?? []).map(({ stage }) => stage),
        stages,
        name,
      );
    }
  });

  test(`${cluster.version}: a data stream with an entry takes documents before and after its rollover`, async () => {
    const stream = `${own}-shop-events`;
    const properties = { ...HYBRID_MAPPING.mappings.properties, "@timestamp": { type: "date" } };
    await request(cluster, "PUT", `/_index_template/${stream}`, {
      index_patterns: [stream],
      data_stream: {},
      priority: 500,
      template: { settings: HYBRID_MAPPING.settings, mappings: { properties } },
    });
    await request(cluster, "PUT", `/_data_stream/${stream}`);
    const at = { "@timestamp": "2026-01-01T00:00:00Z" };
    const before = await write(stream, "create", at);
    assert.is(before.body.index_response.errors, false, before.text);
    await request(cluster, "POST", `/${stream}/_rollover`);
    await request(cluster, "PUT", `/${stream}/_mapping`, { _meta: {} });
    const after = await write(stream, "create", at);
    assert.is(after.status, 200, after.text);
    assert.is(after.body.index_response.errors, false, after.text);
    assert.equal((await stored(stream)).sort(), [
      [`.ds-${stream}-000001`, true],
      [`.ds-${stream}-000002`, true],
    ]);
    assert.is((await found(stream)).length, 2);
    await request(cluster, "DELETE", `/_data_stream/${stream}`);
    await request(cluster, "DELETE", `/_index_template/${stream}`);
  });

  test(`${cluster.version}: date math names the index of the day, as in the cluster's own API`, async () => {
    const expression = `<${own}-shop-{now/d}>`;
    const missing = await write(expression);
    assert.is(missing.status, 400, missing.text);
    assert.match(missing.text, "does not exist, and writes do not create it");
    await create(encodeURIComponent(expression));
    const { status, text } = await write(expression);
    assert.is(status, 200, text);
    const [[index, embedded] = []] = await stored(encodeURIComponent(expression));
    assert.match(String(index), /-shop-\d{4}\.\d\d\.\d\d$/);
    assert.is(embedded, true);
    assert.equal(await found(expression), [index]);
    const plain = await gateway.post("/application/search", { index: expression, search_request: {} });
    assert.is(plain.body.search_response.hits.hits.length, 1);
    // Without an entry, the cluster creates the index.
    const free = await write(`<${own}-free-{now/d}>`);
    assert.is(free.status, 200, free.text);
  });

  test(`${cluster.version}: indexes of different entries are searched together if they differ in models alone`, async () => {
    const [shop, same, fewer, model, none] = ["shop-a", "same-a", "fewer-a", "model-a", "none-a"].map(
      (name) => `${own}-${name}`,
    );
    for (const name of [shop, same, fewer, model, none]) await create(String(name));
    for (const name of [shop, same]) assert.is((await write(String(name))).status, 200);
    assert.equal((await found(`${shop},${same}`)).sort(), [same, shop].sort());
    await request(cluster, "PUT", `/${model}/_doc/1?refresh=true`, { text: "salt" });
    for (const list of [`${shop},${model}`, `${model},${shop}`, `${own}-*-a,-${own}-none*,-${own}-fewer*`]) {
      const { status, body, text } = await search(list, [DENSE, KEYWORD]);
      assert.is(status, 200, text);
      const [degraded, ...others] = body.degraded ?? [];
      assert.equal([degraded?.target, others], ["text_dense", []], text);
      assert.match(degraded?.reason ?? "", "vectors of different models");
      assert.ok(body.search_response.hits.hits.some(({ _index }) => _index === model));
    }
    for (const [list, reason] of [
      [`${shop},${fewer}`, "different fields or settings"],
      [`${fewer},${shop}`, "different fields or settings"],
      [`${shop},${none}`, "no entry"],
      [`${none},${shop}`, "no entry"],
    ]) {
      const { status, text } = await search(String(list));
      assert.is(status, 400, text);
      assert.match(text, String(reason));
    }
  });
}

test.after(stopStarted);

test.run();
