import * as assert from "uvu/assert";
import { EmbeddingError } from "../../lib/search/embeddings/embedder.ts";
import { startFaultProxy } from "../fixtures/fault-proxy.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { bulkGateway, MAPPED_INDEX, mappedIndex, tokensOf, vectorOf } from "../lib/search/bulk/support.ts";
import { suite } from "../suite.ts";

const test = suite("bulk with embeddings");
const busy = new EmbeddingError("model endpoint throttles", { retryable: true });

for (const cluster of await clusters()) {
  const { version } = cluster;

  /** An index with both embedding fields, a proxy before the cluster, and a gateway that knows the index. */
  const setUp = async (overrides: Parameters<typeof mappedIndex>[1] = {}) => {
    const index = uniqueIndex("embedded");
    await request(cluster, "PUT", `/${index}`, MAPPED_INDEX);
    const proxy = await startFaultProxy(cluster.url);
    const gateway = bulkGateway(proxy.url, { indexes: [mappedIndex(index, overrides)] });
    return { index, proxy, gateway };
  };

  const source = async (index: string, id: string) =>
    (await request<Record<string, unknown>>(cluster, "GET", `/${index}/_source/${id}`)).body;

  /** Whether the stored vector and tokens are those of this text. */
  const holds = async (index: string, id: string, text: string) => {
    await request(cluster, "POST", `/${index}/_refresh`);
    const { dense } = await source(index, id);
    assert.equal((dense as number[]).map(Math.fround), vectorOf(text).map(Math.fround), `vector of ${text}`);
    for (const [token, wanted] of Object.entries({ ...tokensOf(text), absent: 0 })) {
      const query = { bool: { filter: { ids: { values: [id] } }, must: feature(token) } };
      const { body } = await request<{ hits: { hits: Array<{ _score: number }> } }>(
        cluster,
        "POST",
        `/${index}/_search`,
        { query },
      );
      assert.is(body.hits.hits[0]?._score ?? 0, wanted, `weight of ${token}`);
    }
  };
  const feature = (token: string) => ({ rank_feature: { field: `sparse.${token}`, linear: {} } });
  const weight = async (index: string, token: string) => {
    await request(cluster, "POST", `/${index}/_refresh`);
    const body = { query: feature(token), size: 0 };
    const found = await request<{ hits: { total: { value: number } } }>(cluster, "POST", `/${index}/_search`, body);
    return found.body.hits.total.value;
  };

  test(`${version}: stores documents with the embeddings of their texts, and echoes them without`, async () => {
    const { index, proxy, gateway } = await setUp();
    const { status, body, items } = await gateway.bulk(index, [
      { id: "1", op: "index", doc: { title: "salt road", body: "caravan" } },
      { id: "2", op: "create", doc: { title: ["red", "sea"] } },
      { id: "3", op: "index", doc: { other: 1, title: " " } },
    ]);
    assert.is(status, 200);
    assert.equal(
      items.map((item) => item.status),
      [201, 201, 201],
    );
    assert.equal(body.bulk_request[0]?.doc, { title: "salt road", body: "caravan" });
    await holds(index, "1", "salt road\ncaravan");
    await holds(index, "2", "red\nsea");
    assert.equal(await source(index, "3"), { other: 1, title: " " });
    assert.equal(gateway.dense.calls, [["salt road\ncaravan", "red\nsea"]]);
    assert.is(proxy.count("/_bulk"), 1);
  });

  test(`${version}: embeds an update of a source again, together with the stored other sources`, async () => {
    const { index, proxy, gateway } = await setUp();
    await gateway.bulk(index, [{ id: "1", op: "index", doc: { title: "salt", body: "road" } }]);
    gateway.dense.calls.length = 0;
    proxy.reset();

    const untouched = await gateway.bulk(index, [{ id: "1", op: "update", doc: { year: 1999 } }]);
    assert.is(untouched.items[0]?.result, "updated");
    assert.equal([gateway.dense.calls.length, proxy.count("/_mget")], [0, 0]);
    await holds(index, "1", "salt\nroad");

    await gateway.bulk(index, [{ id: "1", op: "update", doc: { body: "desert" } }]);
    assert.equal([gateway.dense.calls, proxy.count("/_mget")], [[["salt\ndesert"]], 1]);
    await holds(index, "1", "salt\ndesert");
    assert.is(await weight(index, "road"), 0, "tokens of the text before are gone");

    await gateway.bulk(index, [{ id: "1", op: "update", doc: { title: "x", body: "y" } }]);
    assert.is(proxy.count("/_mget"), 1, "an update of every source reads nothing");
    await holds(index, "1", "x\ny");
  });

  test(`${version}: an update that empties the text removes vector and tokens`, async () => {
    const { index, gateway } = await setUp();
    await gateway.bulk(index, [{ id: "1", op: "index", doc: { title: "salt", body: "road", n: 1 } }]);
    const { items } = await gateway.bulk(index, [{ id: "1", op: "update", doc: { title: null, body: "" } }]);
    assert.is(items[0]?.status, 200);
    assert.is(await weight(index, "salt"), 0);
    await request(cluster, "POST", `/${index}/_refresh`);
    const without = { query: { bool: { must_not: { exists: { field: "dense" } } } } };
    const { body } = await request<{ hits: { hits: unknown[] } }>(cluster, "POST", `/${index}/_search`, without);
    assert.is(body.hits.hits.length, 1);
    await gateway.bulk(index, [{ id: "1", op: "update", doc: { title: "back" } }]);
    await holds(index, "1", "back");
  });

  test(`${version}: embeds the result of each operation on one id, with all texts in one call`, async () => {
    const { index, proxy, gateway } = await setUp();
    const { items } = await gateway.bulk(index, [
      { id: "1", op: "index", doc: { title: "a", body: "b" } },
      { id: "1", op: "update", doc: { body: "c" } },
      { id: "1", op: "update", doc: { n: 1 } },
      { id: "1", op: "update", doc: { title: "d" } },
    ]);
    assert.equal(
      items.map((item) => item.status),
      [201, 200, 200, 200],
    );
    assert.equal(gateway.dense.calls, [["a\nb", "a\nc", "d\nc"]]);
    assert.is(proxy.count("/_mget"), 0, "the earlier operation says it");
    await holds(index, "1", "d\nc");
  });

  test(`${version}: a document that changes between reading and writing is read and embedded again`, async () => {
    const { index, proxy, gateway } = await setUp();
    await gateway.bulk(index, [{ id: "1", op: "index", doc: { title: "a", body: "b" } }]);
    let changes = 1;
    proxy.onCall((call) => {
      if (!call.path.endsWith("/_bulk") || changes === 0) return undefined;
      changes -= 1;
      return request(cluster, "POST", `/${index}/_update/1`, { doc: { title: "other" } });
    });
    const { items } = await gateway.bulk(index, [{ id: "1", op: "update", doc: { body: "c" } }]);
    assert.is(items[0]?.status, 200);
    await holds(index, "1", "other\nc");

    changes = 99;
    let n = 0;
    proxy.onCall((call) => {
      if (!call.path.endsWith("/_bulk")) return undefined;
      n += 1;
      return request(cluster, "POST", `/${index}/_update/1`, { doc: { title: `other ${n}` } });
    });
    const lost = await gateway.bulk(index, [{ id: "1", op: "update", doc: { body: "d" } }]);
    assert.equal([lost.items[0]?.status, lost.items[0]?.error.type], [409, "version_conflict_engine_exception"]);
    assert.is(n, 3);
    assert.is((await source(index, "1")).body, "c");
  });

  test(`${version}: an update of a missing document gets the cluster's 404, also when a source must be read`, async () => {
    const { index, gateway } = await setUp();
    const { items } = await gateway.bulk(index, [{ id: "gone", op: "update", doc: { body: "c" } }]);
    assert.equal([items[0]?.status, items[0]?.error.type], [404, "document_missing_exception"]);
  });

  test(`${version}: embeds all sources of a document that appears between reading and writing`, async () => {
    const { index, proxy, gateway } = await setUp();
    let appears = true;
    proxy.onCall((call) => {
      if (!call.path.endsWith("/_bulk") || !appears) return undefined;
      appears = false;
      return request(cluster, "PUT", `/${index}/_doc/1`, { title: "there", body: "now" });
    });
    const { items } = await gateway.bulk(index, [{ id: "1", op: "update", doc: { body: "c" } }]);
    assert.is(items[0]?.status, 200);
    await holds(index, "1", "there\nc");
  });

  test(`${version}: a source that is not text fails only its own item, which is not written`, async () => {
    const { index, gateway } = await setUp();
    const { items } = await gateway.bulk(index, [
      { id: "1", op: "index", doc: { title: 7 } },
      { id: "2", op: "index", doc: { title: "fine" } },
    ]);
    assert.is(items[0]?.status, 400);
    assert.equal(items[0]?.error, {
      type: "invalid_source_text",
      reason: "title must be a string or an array of strings to be embedded into dense, got a number",
      retryable: false,
    });
    assert.is(items[1]?.status, 201);
    assert.is((await request(cluster, "GET", `/${index}/_doc/1`)).status, 404);
  });

  test(`${version}: with "fail", a failed embedding is a retryable item error, and other documents are written`, async () => {
    const { index, gateway } = await setUp();
    gateway.sparse.failing = (text) => (text.includes("bad") ? busy : undefined);
    const { status, items, body, headers } = await gateway.bulk(index, [
      { id: "1", op: "index", doc: { title: "bad" } },
      { id: "2", op: "index", doc: { title: "good" } },
      { id: "1", op: "update", doc: { n: 1 } },
    ]);
    assert.equal([status, body.index_response.errors, headers["x-degraded"]], [200, true, undefined]);
    assert.equal(items[0], {
      _index: index,
      _id: "1",
      status: 503,
      error: { type: "embedding_failed", reason: "sparse: model endpoint throttles", retryable: true },
    });
    assert.equal([items[1]?.status, items[2]?.error.type], [201, "earlier_operation_failed"]);
    assert.is((await request(cluster, "GET", `/${index}/_doc/1`)).status, 404);
  });

  test(`${version}: with "degrade", a document whose embedding failed is stored without it and listed, and no old vector stays`, async () => {
    const { index, gateway } = await setUp({ on_embedding_failure: { write: "degrade", query: "degrade" } });
    await gateway.bulk(index, [{ id: "2", op: "index", doc: { title: "old" } }]);
    gateway.sparse.failing = (text) => (text.includes("bad") ? busy : undefined);
    gateway.dense.failing = (text) => (text.includes("bad") ? busy : undefined);
    const { status, items, body, headers } = await gateway.bulk(index, [
      { id: "1", op: "index", doc: { title: "bad" } },
      { id: "2", op: "update", doc: { title: "bad", body: "" } },
      { id: "3", op: "index", doc: { title: "good" } },
    ]);
    assert.equal([status, body.index_response.errors, headers["x-degraded"]], [200, false, "embedding"]);
    assert.equal(
      items.map((item) => item.status),
      [201, 200, 201],
    );
    const entry = (target: string) => ({
      stage: "embedding",
      target,
      reason: "model endpoint throttles",
      effect: `stored without ${target}: bulk_request 0-1`,
    });
    assert.equal(body.degraded, [entry("dense"), entry("sparse")]);
    await holds(index, "3", "good");
    assert.equal(await source(index, "1"), { title: "bad" });
    assert.is(await weight(index, "old"), 0);
  });

  test(`${version}: starts no model call with five seconds left, but writes documents that need none`, async () => {
    const { index, gateway } = await setUp();
    const { status, items } = await gateway.bulk(
      index,
      [
        { id: "1", op: "index", doc: { title: "late" } },
        { id: "2", op: "index", doc: { n: 1 } },
      ],
      { remainingMs: 5_000 },
    );
    assert.equal([status, items[0]?.status, items[0]?.error.retryable], [200, 503, true]);
    assert.is(items[1]?.status, 201);
    assert.equal(gateway.dense.calls, []);
  });

  test(`${version}: rejects an index that is missing, or lacks a suitable embedding field, before writing`, async () => {
    const bare = uniqueIndex("bare");
    await request(cluster, "PUT", `/${bare}`, {
      settings: { index: { knn: true } },
      mappings: { properties: { dense: { ...MAPPED_INDEX.mappings.properties.dense, dimension: 8 } } },
    });
    const gone = uniqueIndex("gone");
    const gateway = bulkGateway(cluster.url, { indexes: [mappedIndex(bare), mappedIndex(gone)] });
    const operations = [{ id: "1", op: "index", doc: { title: "a" } }];

    const wrong = await gateway.bulk(bare, operations);
    assert.is(wrong.status, 400);
    const [dimension, absent] = wrong.body.error.issues.map(({ message }) => message);
    assert.match(dimension ?? "", `embedding field dense of index ${bare} is knn_vector of dimension 8`);
    assert.match(dimension ?? "", "dense_large_en_v1_5 needs knn_vector of dimension 1024");
    assert.match(absent ?? "", `embedding field sparse of index ${bare} is missing`);
    assert.match(
      absent ?? "",
      `relevance hybrid-search generate-semantic-index-schema --index ${bare} --schema_file_path`,
    );
    assert.is((await request(cluster, "GET", `/${bare}/_doc/1`)).status, 404);

    const missing = await gateway.bulk(gone, operations);
    assert.is(missing.status, 400);
    assert.match(missing.body.error.message, "does not exist");
    assert.match(missing.body.error.message, `--index ${gone}`);
    assert.is((await request(cluster, "GET", `/${gone}`)).status, 404, "nothing was created");
  });

  test(`${version}: a write to an alias is embedded as its write index requires`, async () => {
    const { index, gateway } = await setUp();
    const alias = uniqueIndex("alias");
    await request(cluster, "PUT", `/${uniqueIndex("older")}`, { aliases: { [alias]: {} } });
    await request(cluster, "PUT", `/${index}/_alias/${alias}`, { is_write_index: true });
    await gateway.bulk(alias, [{ id: "1", op: "index", doc: { title: "a", body: "b" } }]);
    await gateway.bulk(alias, [{ id: "1", op: "update", doc: { body: "c" } }]);
    await holds(index, "1", "a\nc");
  });
}

test.after(stopStarted);
test.run();
