import * as assert from "uvu/assert";
import { blend } from "../../lib/personalize/ranking/blend.ts";
import { corpus } from "../fixtures/corpus.ts";
import { type FaultProxy, startFaultProxy } from "../fixtures/fault-proxy.ts";
import { fillIndex } from "../fixtures/fill-index.ts";
import { CAMPAIGN_ARN, hybridIndex, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import type { Json } from "../fixtures/gateway-json.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { everyPage } from "../fixtures/pages.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("personalized search");
const upstreams = await startUpstreams();
const { ranking } = upstreams;
const byDefault = { rank: ranking.rank };

const WINDOW = 100;
const RANKING = {
  campaign_arn: CAMPAIGN_ARN,
  weight: 0.5,
  window: WINDOW,
  timeout_ms: 10_000,
  item_id_field: "_id",
};
const ENABLED = { user_id: "u1", business_rules: { is_personalized_enabled: true } };
/** Matches every document with similar scores, so that there are many ties. */
const QUERY = { bool: { should: [{ match: { text: "salt harbour storm" } }, { match_all: {} }] } };
const ids = (body: Json) => body.search_response.hits.hits.map(({ _id }) => _id);

for (const cluster of await clusters()) {
  const index = uniqueIndex("personal");
  let gateway: TestGateway;
  let proxy: FaultProxy;
  const search = (search_request: object, fields: object = ENABLED, to = gateway) =>
    to.post("/application/search", { index, search_request: { query: QUERY, ...search_request }, ...fields });
  const hybrid = (rest: object, fields: object = ENABLED) =>
    gateway.post("/application/hybrid-search", {
      index,
      search_query: "salt harbour",
      search_request_template: {
        query: { hybrid: { queries: [QUERY, { bool: { should: "[text_sparse]" } }] } },
        ...rest,
      },
      ...fields,
    });

  test.before(async () => {
    proxy = await startFaultProxy(cluster.url);
    gateway = await startGateway({
      node: proxy.url,
      settings: { indexes: [hybridIndex(index, { candidates: 350 })], personalized_ranking: RANKING },
    });
    await fillIndex(cluster, gateway, index, corpus(330));
  });

  test.before.each(() => {
    Object.assign(ranking, byDefault, { failure: undefined, gate: Promise.resolve(), calls: [] });
    proxy.reset();
  });

  test(`${cluster.version}: returns hits in the blended order, with the blended scores`, async () => {
    const plain = await search({ size: 5 }, {});
    ranking.rank = (items) => items.toReversed().map((itemId) => ({ itemId, score: 0.1 }));
    const { body } = await search({ size: 5 });
    const expected = blend(
      Array.from({ length: WINDOW }, (_, i) => WINDOW - i),
      0.5,
    ).slice(0, 5);
    assert.equal(
      body.search_response.hits.hits.map(({ _score }) => _score),
      expected.map(({ score }) => score),
    );
    assert.is(body.search_response.hits.max_score, expected[0]?.score);
    assert.is(ids(body)[0], ids(plain.body)[0]);
    assert.equal(body.search_response.hits.total, plain.body.search_response.hits.total);
    const [call] = ranking.calls;
    assert.is(call?.campaignArn, CAMPAIGN_ARN);
    assert.is(call?.userId, "u1");
    assert.is(call?.inputList.length, WINDOW);
  });

  for (const [kind, send] of [
    ["plain", search],
    ["hybrid", hybrid],
  ] as const) {
    test(`${cluster.version}: ${kind}: pages across the window hold every hit exactly once, with falling scores`, async () => {
      const scores: number[] = [];
      const seen = await everyPage(async (page) => {
        const { status, body, text } = await send(page);
        assert.is(status, 200, text);
        scores.push(...body.search_response.hits.hits.map(({ _score }) => _score ?? 0));
        return ids(body);
      }, 70);
      assert.equal([seen.length, new Set(seen).size], [330, 330]);
      assert.equal(
        scores,
        scores.toSorted((a, b) => b - a),
      );
    });
  }

  test(`${cluster.version}: a page across the window takes one more search, and aggregations stay the cluster's`, async () => {
    const aggs = { genres: { terms: { field: "genre" } } };
    const { body } = await search({ size: 30, from: 90, aggs });
    assert.is(ids(body).length, 30);
    assert.is(body.search_response.aggregations.genres?.buckets.length, 4);
    const searches = proxy.calls.filter(({ path }) => path.includes("_search"));
    assert.is(searches.length, 2);
    assert.is(JSON.parse(searches[1]?.body ?? "{}").aggs, undefined);
  });

  test(`${cluster.version}: gives the campaign the context of the request, which the answer has, too`, async () => {
    const rules = { is_personalized_enabled: true, personalization_context: { DEVICE: "phone" } };
    for (const send of [search, hybrid]) {
      const { status, body, text } = await send({ size: 3 }, { user_id: "u1", business_rules: rules });
      assert.equal([status, body.degraded, body.business_rules], [200, undefined, rules], text);
      assert.equal(ranking.calls.at(-1)?.context, { DEVICE: "phone" });
    }
    await search({ size: 3 });
    assert.not("context" in (ranking.calls.at(-1) ?? {}));
  });

  test(`${cluster.version}: hits that the filter leaves out stay, below those that it lets through`, async () => {
    const filter_arn = "arn:aws:personalize:eu-west-1:123456789012:filter/not-bought";
    const filtered = await startGateway({
      node: proxy.url,
      settings: { indexes: [hybridIndex(index)], personalized_ranking: { ...RANKING, filter_arn } },
    });
    ranking.rank = (items) => items.slice(2).map((itemId) => ({ itemId, score: 0.5 }));
    const values = { personalization_weight: 1, personalization_filter_values: { GENRES: "crime,drama" } };
    const rules = { is_personalized_enabled: true, ...values };
    const { body } = await search({ size: 100 }, { user_id: "u1", business_rules: rules }, filtered);
    const [call] = ranking.calls;
    assert.equal([call?.filterArn, call?.filterValues], [filter_arn, { GENRES: '"crime","drama"' }]);
    const sent = call?.inputList ?? [];
    assert.equal(ids(body), [...sent.slice(2), ...sent.slice(0, 2)]);
    assert.equal([body.degraded, body.business_rules], [undefined, rules]);
    const refused = await search({}, { user_id: "u1", business_rules: rules });
    assert.equal([refused.status, refused.body.error.code], [400, "invalid_request"]);
  });

  test(`${cluster.version}: by a field of the documents: hits without it go last, and the log names it if all have it`, async () => {
    const books = uniqueIndex("isbn");
    const personalized_ranking = { ...RANKING, item_id_field: "book.isbn" };
    const byField = await startGateway({ node: cluster.url, settings: { personalized_ranking } });
    const isbns = [1, 2, 3, 4, 5].map((n) => `978-${n}`);
    // `serial` fixes the search order.
    const documents = [...isbns.map((isbn) => ({ book: { isbn } })), {}];
    const lines = documents.map(
      (doc, at) => `{"index":{"_id":"d${at + 1}"}}\n${JSON.stringify({ ...doc, serial: at + 1 })}\n`,
    );
    await request(cluster, "POST", `/${books}/_bulk?refresh=true`, lines.join(""));
    const query = { function_score: { field_value_factor: { field: "serial", modifier: "reciprocal" } } };
    for (const [native, expected, logged] of [
      // The test vector of the blend: five hits, reversed by the campaign, weight 0.5.
      [
        { post_filter: { exists: { field: "book.isbn" } } },
        ["d1", "d5", "d2", "d4", "d3"],
        ["book.isbn", ["978-1", "978-5", "978-2", "978-4", "978-3"]],
      ],
      [{}, ["d1", "d5", "d2", "d4", "d3", "d6"], ["_id", ["d1", "d5", "d2", "d4", "d3", "d6"]]],
    ] as const) {
      byField.log.length = 0;
      const { body, text } = await search({ query, ...native }, { ...ENABLED, index: books }, byField);
      assert.equal(ids(body), expected, text);
      assert.equal(ranking.calls.at(-1)?.inputList, isbns);
      const { object_id_field, query_response_hit_ids } = JSON.parse(byField.log[0] ?? "");
      assert.equal([object_id_field, query_response_hit_ids], logged);
    }
  });

  for (const [what, change, reason, ranked = {}] of [
    ["throttles", { failure: { status: 429, type: "ThrottlingException" } }, "throttled"],
    ["hangs", { gate: new Promise(() => undefined) }, "did not answer in time", { timeout_ms: 300 }],
  ] as const) {
    test(`${cluster.version}: keeps search order with the cluster's scores, and says so, when the campaign ${what}`, async () => {
      const plain = await search({ size: 7, from: 3 }, {});
      Object.assign(ranking, change);
      const personalized_ranking = { ...RANKING, ...ranked };
      const other = await startGateway({ node: cluster.url, settings: { personalized_ranking } });
      const { status, body, text } = await search({ size: 7, from: 3 }, ENABLED, other);
      assert.is(status, 200);
      assert.equal(
        body.search_response.hits.hits.map(({ _id, _score }) => [_id, _score]),
        plain.body.search_response.hits.hits.map(({ _id, _score }) => [_id, _score]),
      );
      assert.match(body.degraded[0]?.reason ?? "", reason);
      assert.not.match(text, CAMPAIGN_ARN);
    });
  }

  test(`${cluster.version}: answers 400 without a campaign, and names what to configure`, async () => {
    const bare = await startGateway({ node: cluster.url });
    const { status, body } = await bare.post("/application/search", { index, search_request: {}, ...ENABLED });
    assert.is(status, 400);
    assert.is(body.error.issues[0]?.path, "business_rules.is_personalized_enabled");
    assert.match(body.error.message, "personalized_ranking.campaign_arn");
  });
}

test.after(stopStarted);

test.run();
