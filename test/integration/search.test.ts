import * as assert from "uvu/assert";
import { corpus } from "../fixtures/corpus.ts";
import { startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { everyPage } from "../fixtures/pages.ts";
import { suite } from "../suite.ts";

const test = suite("search");
const upstreams = await startUpstreams();
const gateways: TestGateway[] = [];

for (const cluster of await clusters()) {
  const index = uniqueIndex("search");
  const many = uniqueIndex("pages");
  let gateway: TestGateway;

  test.before(async () => {
    gateway = await startGateway({ node: cluster.url });
    gateways.push(gateway);
    await request(cluster, "PUT", `/${index}`, {
      settings: { index: { number_of_shards: 1, number_of_replicas: 0 } },
      mappings: { properties: { title: { type: "text" }, serial: { type: "long" } } },
    });
    const lines = Array.from({ length: 25 }, (_, i) => [
      JSON.stringify({ index: { _id: `d${i}` } }),
      `{"title":"salt road ${i}","serial":${9007199254740993n + BigInt(i)},"ratio":1.0}`,
    ]);
    await request(cluster, "POST", `/${index}/_bulk?refresh=true`, `${lines.flat().join("\n")}\n`);
    await request(cluster, "PUT", `/${many}`, { settings: { index: { number_of_shards: 1, number_of_replicas: 0 } } });
    const documents = corpus(330).map(({ id, doc }) => `{"index":{"_id":"${id}"}}\n${JSON.stringify(doc)}\n`);
    await request(cluster, "POST", `/${many}/_bulk?refresh=true`, documents.join(""));
  });

  for (const [what, search_request, reason] of [
    ["slice without a scroll", { slice: { id: 0, max: 2 } }, "`slice` cannot be used outside of a scroll context"],
    [
      "collapse with rescore",
      { collapse: { field: "serial" }, rescore: { query: { rescore_query: { match_all: {} } } } },
      "cannot use `collapse` in conjunction with `rescore`",
    ],
    [
      "an order by an aggregation that does not exist",
      { aggs: { a: { terms: { field: "serial", order: { b: "asc" } } } } },
      "Invalid aggregation order path [b]",
    ],
  ] as const) {
    test(`${cluster.version}: ${what} is 422 with the reason, although the cluster says 500`, async () => {
      const native = await request(cluster, "POST", `/${index}/_search`, search_request);
      assert.is(native.status, 500);
      const { status, body } = await gateway.post("/application/search", { index, search_request });
      assert.equal([status, body.error.code], [422, "rejected_by_cluster"]);
      assert.ok(body.error.cause.reason.startsWith(reason), body.error.cause.reason);
    });
  }

  test(`${cluster.version}: echoes the request with its defaults and returns the cluster's answer`, async () => {
    const search_request = { query: { match: { title: "salt" } }, size: 2 };
    const { status, body } = await gateway.post("/application/search", { index, search_request });
    assert.is(status, 200);
    const { search_response, ...echo } = body;
    assert.equal(echo, {
      index,
      search_request,
      user_id: null,
      business_rules: { is_personalized_enabled: false },
      is_logging_enable: true,
    });
    assert.is(search_response.hits.total.value, 25);
    assert.is(search_response.hits.hits.length, 2);
    assert.equal(Object.keys(search_response), ["took", "timed_out", "_shards", "hits"]);
  });

  test(`${cluster.version}: keeps numbers that a float cannot hold, to the cluster and back`, async () => {
    const { text } = await gateway.post(
      "/application/search",
      `{"index":"${index}","search_request":{"query":{"term":{"serial":9007199254740993}}}}`,
    );
    assert.match(text, '"search_request":{"query":{"term":{"serial":9007199254740993}}}');
    assert.match(text, '"_id":"d0"');
    assert.match(text, /"serial":\s?9007199254740993/);
  });

  test(`${cluster.version}: returns pages of native search`, async () => {
    const seen: string[] = [];
    for (let from = 0; from < 30; from += 10) {
      const search_request = { query: { match: { title: "salt" } }, size: 10, from, sort: ["serial"] };
      const { body } = await gateway.post("/application/search", { index, search_request });
      seen.push(...body.search_response.hits.hits.map(({ _id }) => _id));
    }
    assert.equal(
      seen,
      Array.from({ length: 25 }, (_, i) => `d${i}`),
    );
  });

  for (const size of [10, 30, 70]) {
    test(`${cluster.version}: pages of ${size} over 330 hits hold every id exactly once, in one order`, async () => {
      // Every document matches; many have the same score.
      const query = { bool: { should: [{ match: { text: "salt harbour storm" } }, { match_all: {} }] } };
      const page = async (search_request: object) => {
        const { status, body, text } = await gateway.post("/application/search", {
          index: many,
          search_request: { query, ...search_request },
        });
        assert.is(status, 200, text);
        return body.search_response.hits.hits.map(({ _id }) => _id);
      };
      const seen = await everyPage(page, size);
      assert.equal(
        seen.toSorted(),
        corpus(330)
          .map(({ id }) => id)
          .toSorted(),
      );
      assert.equal(seen, await page({ size: 330 }));
    });
  }

  test(`${cluster.version}: an unknown index is 404 index_not_found`, async () => {
    const { status, body } = await gateway.post("/application/search", { index: "nope", search_request: {} });
    assert.is(status, 404);
    assert.is(body.error.code, "index_not_found");
    assert.match(body.error.message, "nope");
  });

  test(`${cluster.version}: a query that the cluster rejects is 422 with its cause`, async () => {
    const search_request = { query: { mach: { title: "salt" } } };
    const { status, body } = await gateway.post("/application/search", { index, search_request });
    assert.is(status, 422);
    assert.is(body.error.code, "rejected_by_cluster");
    assert.is(body.error.cause.type, "parsing_exception");
    assert.match(body.error.cause.reason, "unknown query [mach]");
  });

  test(`${cluster.version}: a page beyond the result window returns the cluster's own error`, async () => {
    const { status, body } = await gateway.post("/application/search", { index, search_request: { from: 20_000 } });
    assert.is(status, 422);
    assert.match(body.error.message, "Result window is too large");
  });

  test(`${cluster.version}: logs one line a search, and none when logging is off`, async () => {
    const search_request = { query: { match: { title: "salt" } }, size: 3 };
    gateway.log.length = 0;
    const { headers } = await gateway.post(
      "/application/search",
      { index, search_request, user_query: "salt road", user_id: "u1" },
      { "x-client-id": "shop" },
    );
    await gateway.post("/application/search", { index, search_request, is_logging_enable: false });
    assert.is(gateway.log.length, 1);
    const line = JSON.parse(gateway.log[0] ?? "");
    assert.is(line.query_id, headers.get("x-query-id"));
    assert.is(line.user_id, "u1");
    assert.is(line.client_id, "shop");
    assert.is(line.total, 25);
    assert.is(line.query_response_hit_ids.length, 3);
    assert.equal(JSON.parse(line.query), search_request);
    assert.is(line.user_query, "salt road");
    assert.is(line.object_id_field, "_id");
    const { milliseconds, ...attributes } = line.query_attributes;
    assert.match(
      headers.get("server-timing") ?? "",
      `total;dur=${milliseconds.total}, cluster;dur=${milliseconds.cluster}`,
    );
    assert.equal(attributes, {
      index,
      endpoint: "search",
      key: "default",
      settings: null,
      experiment: null,
      personalized: false,
      degraded: [],
    });
    assert.equal(Object.keys(milliseconds).sort(), ["cluster", "total"]);
  });
}

test.after(async () => {
  for (const gateway of gateways) await gateway.stop();
  await upstreams.stop();
});

test.run();
