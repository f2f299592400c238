import * as assert from "uvu/assert";
import { type FaultProxy, startFaultProxy } from "../fixtures/fault-proxy.ts";
import { hybridIndex, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

/** From 3.1 on, the cluster's scorer of hybrid queries skips documents in large segments, and counts only the others. */
const test = suite("totals and facets of hybrid search in a large segment");
await startUpstreams();

const DOCUMENTS = 20_000;
/** Every second document has it. */
const SALT = { match: { text: "salt" } };
/** Finds documents without `salt`, too, and all of them have a year of their own. */
const NEAREST = { knn: { place: { vector: [0, 1], k: 30 } } };
const aggs = { years: { histogram: { field: "year", interval: 1, min_doc_count: 1 } } };

for (const cluster of await clusters()) {
  const index = uniqueIndex("totals");
  const isFaulty = !cluster.version.startsWith("2.");
  let proxy: FaultProxy;
  let gateway: TestGateway;
  const hybrid = (native: object, queries: object[] = [SALT], clause: object = {}) =>
    gateway.post("/application/hybrid-search", {
      index,
      search_query: "salt",
      search_request_template: { query: { hybrid: { queries, ...clause } }, ...native },
    });
  const found = async (...of: Parameters<typeof hybrid>) => {
    const { status, body, text } = await hybrid(...of);
    assert.is(status, 200, text);
    const buckets = body.search_response.aggregations?.years?.buckets as Array<{ doc_count: number }> | undefined;
    return { total: body.search_response.hits.total, counts: buckets?.map(({ doc_count }) => doc_count), body };
  };

  test.before(async () => {
    proxy = await startFaultProxy(cluster.url);
    gateway = await startGateway({
      node: proxy.url,
      settings: { indexes: [hybridIndex(index, { embedding_mappings: [] })] },
    });
    const place = { type: "knn_vector", dimension: 2, method: { name: "hnsw", engine: "lucene", space_type: "l2" } };
    await request(cluster, "PUT", `/${index}`, {
      settings: { index: { knn: true, number_of_shards: 1, number_of_replicas: 0, refresh_interval: "-1" } },
      mappings: { properties: { text: { type: "text" }, year: { type: "integer" }, place } },
    });
    const line = (id: number) => {
      const text = `${id % 2 ? "salt " : ""}${"road ".repeat((id * 7919) % 13)}`;
      return `{"index":{"_id":"${id}"}}\n${JSON.stringify({ text, year: id % 4, place: [id, 1] })}\n`;
    };
    for (let at = 0; at < DOCUMENTS; at += 4_000) {
      const lines = Array.from({ length: 4_000 }, (_, id) => line(at + id)).join("");
      await request(cluster, "POST", `/${index}/_bulk`, lines);
    }
    await request(cluster, "POST", `/${index}/_forcemerge?max_num_segments=1`);
    await request(cluster, "POST", `/${index}/_refresh`);
  });

  test.before.each(() => proxy.reset());

  test(`${cluster.version}: the total and the facets are those of all matches, on every page`, async () => {
    for (const page of [{ size: 10 }, { from: 10, size: 10 }, { size: 0 }, { from: 9_000, size: 10 }]) {
      const { total, counts, body } = await found({ track_total_hits: true, aggs, ...page });
      assert.equal(total, { value: 10_000, relation: "eq" });
      assert.equal(counts, [5_000, 5_000]);
      assert.is(body.degraded?.some(({ stage }) => stage === "totals") ?? false, false);
    }
  });

  test(`${cluster.version}: the total is that of the documents of any subquery, which nearest neighbours count towards`, async () => {
    const { total, counts } = await found({ track_total_hits: true, aggs }, [SALT, NEAREST]);
    assert.equal(total, { value: 10_015, relation: "eq" });
    assert.equal(counts, [8, 5_000, 7, 5_000]);
  });

  test(`${cluster.version}: post_filter narrows the total alone`, async () => {
    const { total, counts } = await found({ track_total_hits: true, aggs, post_filter: { term: { year: 1 } } });
    assert.is(total.value, 5_000);
    assert.equal(counts, [5_000, 5_000]);
  });

  test(`${cluster.version}: the relation is that of track_total_hits`, async () => {
    assert.equal((await found({ track_total_hits: 100 })).total, { value: 100, relation: "gte" });
    assert.equal((await found({}, [SALT, NEAREST])).total, { value: 10_000, relation: "gte" });
  });

  test(`${cluster.version}: depth is told from the number of all matches`, async () => {
    const { body } = await found({ size: 10, from: 2_500, track_total_hits: true });
    assert.equal(
      body.degraded.map(({ stage }) => stage),
      ["depth"],
    );
  });

  for (const [what, native] of Object.entries({
    "without totals and facets": { track_total_hits: false },
    "sorted by a field": { sort: [{ year: "asc" }], track_total_hits: true },
    "with a profile": isFaulty ? { profile: true, track_total_hits: true } : { track_total_hits: false },
  })) {
    test(`${cluster.version}: a search ${what} is one search of the cluster`, async () => {
      const { total } = await found(native);
      if (native.track_total_hits) assert.is(total.value, 10_000);
      assert.is(proxy.count("/_search"), 1);
    });
  }

  if (isFaulty) {
    test(`${cluster.version}: a filter of the hybrid clause holds for what is counted, nearest neighbours included`, async () => {
      const filter = { term: { year: 2 } };
      const { total, counts } = await found({ track_total_hits: true, aggs }, [SALT, NEAREST], { filter });
      assert.equal(total, { value: 30, relation: "eq" });
      assert.equal(counts, [30]);
    });

    test(`${cluster.version}: with min_score the total is that of the fused list, the facets those of all matches`, async () => {
      const { total, counts } = await found({ track_total_hits: true, aggs, min_score: 0.9 });
      assert.ok(total.value <= 100, `${total.value}`);
      assert.equal(counts, [5_000, 5_000]);
    });

    test(`${cluster.version}: if counting fails, the answer says so, and its total is a lower bound`, async () => {
      proxy.fault({
        path: "/_search",
        fault: { kind: "status", status: 400, body: { error: "no" } },
        after: 1,
        times: 1,
      });
      const { total, body } = await found({ track_total_hits: true, aggs });
      assert.is(total.relation, "gte");
      assert.ok(total.value < 10_000, `${total.value}`);
      assert.equal(
        body.degraded.map(({ stage, target }) => [stage, target]),
        [["totals", "search_response"]],
      );
      assert.is(body.search_response.hits.hits.length, 10);
    });
  }
}

test.after(stopStarted);

test.run();
