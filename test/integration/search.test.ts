import * as assert from "uvu/assert";
import { corpus } from "../fixtures/corpus.ts";
import { startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { everyPage } from "../fixtures/pages.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("search");
await startUpstreams();

for (const cluster of await clusters()) {
  const index = uniqueIndex("search");
  const many = uniqueIndex("pages");
  let gateway: TestGateway;

  test.before(async () => {
    gateway = await startGateway({ node: cluster.url });
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

  test(`${cluster.version}: keeps numbers that a float cannot hold, to the cluster and back`, async () => {
    const { text } = await gateway.post(
      "/application/search",
      `{"index":"${index}","search_request":{"query":{"term":{"serial":9007199254740993}}}}`,
    );
    assert.match(text, '"search_request":{"query":{"term":{"serial":9007199254740993}}}');
    assert.match(text, '"_id":"d0"');
    assert.match(text, /"serial":\s?9007199254740993/);
  });

  test(`${cluster.version}: pages over 330 hits hold every id exactly once, in one order`, async () => {
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
    const seen = await everyPage(page, 70);
    assert.equal(
      seen.toSorted(),
      corpus(330)
        .map(({ id }) => id)
        .toSorted(),
    );
    assert.equal(seen, await page({ size: 330 }));
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

test.after(stopStarted);

test.run();
