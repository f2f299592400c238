import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { instantSearchClients } from "../src/index.ts";
import type { GatewayEvent, NamedSearch, SearchResult } from "../src/types.ts";

const test = suite("InstantSearch's requests");

const facets = { brand: "values", "category.lvl0": "values", price: "range" } as const;

const found = (ids: readonly string[]): SearchResult => ({
  status: 200,
  query_id: "q1",
  answer: {
    search_response: {
      took: 3,
      hits: { total: { value: 4_000, relation: "eq" }, hits: ids.map((_id) => ({ _id, _source: { name: "x" } })) },
      aggregations: {
        brand: {
          buckets: [
            { key: "a", doc_count: 2 },
            { key: "b", doc_count: 1 },
          ],
          sum_other_doc_count: 1,
        },
        price: { min: null, max: null, avg: null, sum: 0 },
      },
    },
  },
});

/** Starts clients over a gateway that answers every search alike, and keeps what it is sent. */
function start(result: SearchResult = found(["x", "y"])) {
  const sent: NamedSearch[] = [];
  const requests: number[] = [];
  const events: GatewayEvent[] = [];
  const gateway = {
    async multiSearch({ searches }: { searches: NamedSearch[] }) {
      requests.push(searches.length);
      sent.push(...searches);
      return { results: searches.map(() => result) };
    },
    async events(request: { events: GatewayEvent[] }) {
      if (request.events.some(({ message }) => message === "lost")) throw new Error("no answer");
      events.push(...request.events);
    },
  };
  const shop = { index: "products", template: "shop", facets };
  const listings = { shop, both: { ...shop, hybridTemplate: "meaning" } };
  return { ...instantSearchClients(gateway, listings, { clientId: "c1" }), sent, requests, events };
}

const searched = async (params: object, indexName = "shop") => {
  const clients = start();
  await clients.searchClient.search([{ indexName, params }]);
  return clients.sent[0];
};

test("become searches by templates with pages, values and ranges", async () => {
  const params = {
    ...{ query: " lamp ", page: 2, hitsPerPage: 10, facets: ["brand", "price"] },
    facetFilters: [["brand:a:b", "brand:\\-c"], "category.lvl0:Home"],
    numericFilters: ["price>=2", "price>=3", "price<=1e2"],
  };
  assert.equal(await searched(params), {
    ...{ index: "products", template: "shop", user_query: "lamp" },
    params: {
      ...{ size: 10, from: 20, query: "lamp", brand: ["a:b", "-c"], category_lvl0: ["Home"] },
      ...{ price_min: 3, price_max: 100 },
    },
  });
  assert.equal((await searched({ numericFilters: ["price=5"] }))?.params, {
    size: 20,
    from: 0,
    price_min: 5,
    price_max: 5,
  });
});

test("use a hybrid template only for a text", async () => {
  const params = { size: 20, from: 0 };
  const hybrid = { index: "products", template: "meaning", search_query: "lamp", params };
  assert.equal(await searched({ query: "lamp" }, "both"), hybrid);
  assert.equal(await searched({ query: "" }, "both"), { index: "products", template: "shop", params });
});

test("name the segments of the user as contexts of rules", async () => {
  assert.equal((await searched({ ruleContexts: ["vip", "b2b"] }))?.segments, ["vip", "b2b"]);
  for (const params of [{}, { ruleContexts: [] }, { ruleContexts: undefined }])
    assert.is((await searched(params))?.segments, undefined);
});

test("that only count are not logged, and more than 20 are several requests", async () => {
  const { searchClient, sent, requests } = start();
  const counted = { indexName: "shop", params: { analytics: false, hitsPerPage: 0 } };
  const { results } = await searchClient.search(Array(41).fill(counted));
  assert.equal([results.length, requests], [41, [20, 20, 1]]);
  assert.ok(sent.every(({ is_logging_enable }) => is_logging_enable === false));
});

test("that mean something else are clear errors", async () => {
  for (const [params, said] of [
    [{ filters: "a:b", distinct: true }, /^not supported: filters, distinct\./],
    [{ facets: ["color"] }, /^color is not among the facets of shop/],
    [{ facetFilters: ["color:red"] }, /not about a listed facet/],
    [{ facetFilters: ["brand:-a"] }, /leaves out a value/],
    [{ facetFilters: ["brand:a", "brand:b"] }, /several values of brand at once/],
    [{ facetFilters: [["brand:a", "category.lvl0:b"]] }, /only of one attribute/],
    [{ numericFilters: ["price>3"] }, /only <=, >= and = are/],
    [{ numericFilters: [["price=3", "price=4"]] }, /not about a listed range/],
    [{ numericFilters: ["brand=3"] }, /not about a listed range/],
  ] as const) {
    const error = await searched(params).catch((thrown: unknown) => thrown);
    assert.is((error as Error).name, "UnsupportedError", JSON.stringify(params));
    assert.match((error as Error).message, said);
  }
  assert.match(String(await searched({}, "none").catch(String)), /the index name none is not listed/);
  const { searchClient } = start({ status: 404, error: { code: "index_not_found", message: "There is none." } });
  const error = await searchClient.search([{ indexName: "shop" }]).catch((thrown: unknown) => thrown);
  assert.match(String(error), /^SearchError: There is none\./);
});

test("get counts, pages up to the listed depth, and no statistics without numbers", async () => {
  const { searchClient } = start();
  const params = { hitsPerPage: 10, facets: "*", maxValuesPerFacet: 1 };
  const { results } = await searchClient.search([{ indexName: "shop", params }]);
  const { nbHits, nbPages, facets, facets_stats, exhaustiveFacetsCount } = results[0] ?? assert.unreachable();
  assert.equal([nbHits, nbPages, facets_stats, exhaustiveFacetsCount], [4_000, 100, {}, false]);
  assert.equal(facets, { brand: { a: 2 }, "category.lvl0": {}, price: {} });
});

test("count pins that are none of the hits, so that the last page has the last hit", async () => {
  const answer = { search_response: { took: 1, hits: { total: { value: 144, relation: "eq" }, hits: [] } } };
  const { searchClient } = start({ status: 200, answer: { ...answer, stages: [{ outside: 1 }, {}] } } as never);
  const { results } = await searchClient.search([{ indexName: "shop", params: { hitsPerPage: 24 } }]);
  assert.equal([results[0]?.nbHits, results[0]?.nbPages], [145, 7]);
});

test("an event keeps as much of a long name as the gateway takes, and no half of a character", async () => {
  const { insightsClient, events } = start();
  for (const eventName of ["x".repeat(1_024), "x".repeat(2_000), `${"x".repeat(1_023)}😀`]) {
    assert.is(await insightsClient("clickedObjectIDs", { objectIDs: ["z"], eventName }), true);
  }
  assert.equal(
    events.map(({ message }) => message?.length),
    [1_024, 1_024, 1_023],
  );
});

test("a conversion has the place of its hit, and the user that the page has told", async () => {
  const { searchClient, insightsClient, events } = start();
  await searchClient.search([{ indexName: "shop", params: { page: 1, hitsPerPage: 2 } }]);
  await insightsClient("setUserToken", "ada");
  await insightsClient("convertedObjectIDsAfterSearch", { eventName: "bought", queryID: "q1", objectIDs: ["y"] });
  await insightsClient("clickedObjectIDs", { objectIDs: ["z"] });
  await insightsClient("viewedObjectIDs", { objectIDs: ["z"] });
  assert.equal(
    events.map(({ timestamp: _, ...event }) => event),
    [
      {
        ...{ action_name: "conversion", query_id: "q1", user_id: "ada", message: "bought" },
        event_attributes: { object: { object_id: "y" }, position: { ordinal: 4 } },
      },
      {
        ...{ action_name: "click", user_id: "ada" },
        event_attributes: { object: { object_id: "z" }, position: { ordinal: 0 } },
      },
    ],
  );
  assert.is(await insightsClient("clickedObjectIDs", { objectIDs: ["z"] }), true);
  assert.is(await insightsClient("clickedObjectIDs", { objectIDs: ["z"], eventName: "lost" }), false);
  const error = await insightsClient("sendMagic").catch(String);
  assert.is(error, "UnsupportedError: insights: sendMagic is not supported");
});

test.run();
