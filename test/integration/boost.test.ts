import * as assert from "uvu/assert";
import { documentBucket } from "../fixtures/document-bucket.ts";
import { hybridIndex, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import type { Json } from "../fixtures/gateway-json.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("boosts of hits by their fields");
await startUpstreams();

const BOOST = {
  mode: "sum",
  factors: [{ field: "sold", number: { function: "log1p", cap: 1_000 }, missing: 0, weight: 5 }],
} as const;
const BUCKET = await documentBucket({
  rules: [{ name: "sale", when: { segments: ["sale"] }, effects: { boost_hits: BOOST } }],
});

const DAY = 86_400_000;
const PROPERTIES = {
  title: { type: "text" },
  published: { type: "date" },
  sold: { type: "integer" },
  stock: { type: "keyword" },
  shop: { type: "geo_point" },
};

const decays = [
  { field: "published", curve: "gauss", origin: "2024-06-01", scale: "90d", offset: "10d", decay: 0.4 },
  { field: "sold", curve: "exp", origin: 300, scale: 70 },
  { field: "shop", curve: "linear", origin: "52.5,13.4", scale: "300km", decay: 0.3 },
] as const;

interface Boosted extends Json {
  stages: Array<{ name: string; scores: Array<{ _id: string; score: number; factors: Array<{ value: number }> }> }>;
}

const idsOf = ({ search_response }: Json) => search_response.hits.hits.map(({ _id }) => _id);

for (const cluster of await clusters()) {
  const index = uniqueIndex("boost");
  let gateway: TestGateway;
  const search = (fields: object, native: object = {}) =>
    gateway.post<Boosted>("/application/search", {
      ...{ index, search_request: { query: { match: { title: "lamp" } }, size: 60, ...native }, ...fields },
    });

  test.before(async () => {
    gateway = await startGateway({
      node: cluster.url,
      env: { BUCKET },
      settings: {
        has_rules: true,
        indexes: [hybridIndex(index, {}), hybridIndex(`${index}-sold`, { boost: BOOST } as object)],
        experiments: [
          {
            name: "sales",
            index,
            kind: "split",
            variants: [{ name: "all", share: 1, settings: {}, boost: BOOST }] as never,
          },
        ],
      },
    });
    // A search waits a second for the rules, which may be too short on a busy machine.
    await gateway.probe();
    for (const name of [index, `${index}-sold`]) {
      await request(cluster, "PUT", `/${name}`, {
        settings: { number_of_shards: 2 },
        mappings: { properties: PROPERTIES },
      });
      for (let at = 0; at < 40; at += 1) {
        const published = new Date(Date.parse("2024-01-01") + ((at * 37) % 400) * DAY).toISOString();
        const place = { lat: 48 + ((at * 7) % 10), lon: 8 + ((at * 3) % 12) };
        const document = {
          title: `lamp ${"old ".repeat(at % 5)}`,
          published,
          sold: (at * 61) % 500,
          stock: "yes",
          shop: place,
        };
        await request(cluster, "PUT", `/${name}/_doc/d${at}`, at % 9 === 0 ? { title: "lamp" } : document);
      }
      await request(cluster, "POST", `/${name}/_refresh`);
    }
  });

  for (const { field, ...decay } of decays) {
    test(`${cluster.version}: ${decay.curve} of ${field} is the cluster's own`, async () => {
      const { curve, ...parameters } = decay;
      const functions = [{ filter: { exists: { field } }, [curve]: { [field]: parameters } }];
      const query = { function_score: { query: { exists: { field } }, functions, boost_mode: "replace" } };
      const own = await gateway.post<Json>("/application/search", { index, search_request: { query, size: 60 } });
      const expected = new Map(own.body.search_response.hits.hits.map(({ _id, _score }) => [_id, Number(_score)]));
      const boost = { factors: [{ field, decay, missing: 0.5 }] };
      const { body, text } = await search({ boost, explain_stages: true });
      assert.is(body.degraded, undefined, text);
      const scores = body.stages[0]?.scores ?? [];
      assert.equal([scores.length, expected.size], [40, 35]);
      for (const { _id, factors } of scores) {
        const wanted = expected.get(_id) ?? 0.5;
        assert.ok(Math.abs((factors[0]?.value ?? -1) - wanted) < 1e-5, `${_id}: ${factors[0]?.value}, not ${wanted}`);
      }
    });
  }

  test(`${cluster.version}: an entry's boost orders its searches, pages are of one list, and only explain_stages shows scores`, async () => {
    const name = `${index}-sold`;
    const { body } = await search({ index: name, explain_stages: true });
    const told = body.stages[0]?.scores ?? [];
    assert.equal(
      told.toSorted((a, b) => b.score - a.score).map(({ _id }) => _id),
      idsOf(body),
    );
    assert.is(body.stages[0]?.scores.length, 40);
    const pages = [];
    for (let from = 0; from < 40; from += 10)
      pages.push(...idsOf((await search({ index: name }, { from, size: 10 })).body));
    assert.equal(pages, idsOf(body));
    const silent = await search({ index: name });
    assert.equal([silent.body.stages, idsOf(silent.body)], [undefined, pages]);
    const off = await search({ index: name, boost: {} });
    assert.not.equal(idsOf(off.body), pages);
  });

  test(`${cluster.version}: the boost of a rule and of a variant is that of a request`, async () => {
    const own = idsOf((await search({ boost: BOOST })).body);
    const ruled = await search({ segments: ["sale"] });
    assert.equal([idsOf(ruled.body), ruled.body.rules], [own, [{ name: "sale" }]], ruled.text);
    const hybrid = (fields: object) =>
      gateway.post<Boosted>("/application/hybrid-search", {
        ...{ index, search_query: "lamp", ...fields },
        search_request_template: { query: { hybrid: { queries: [{ match: { title: "lamp" } }] } }, size: 60 },
      });
    const tried = await hybrid({ user_id: "u" });
    assert.equal(tried.body.experiment, { name: "sales", variant: "all" }, tried.text);
    assert.equal(idsOf(tried.body), idsOf((await hybrid({ boost: BOOST })).body));
    assert.not.equal(idsOf(tried.body), idsOf((await hybrid({})).body));
  });

  test(`${cluster.version}: a field that cannot be read leaves the order, and the answer says so`, async () => {
    const boost = { factors: [{ field: "title", values: { lamp: 1 } }] };
    const { body, headers } = await search({ boost });
    assert.equal([headers.get("x-degraded"), idsOf(body)], ["boost", idsOf((await search({})).body)]);
    assert.match(body.degraded[0]?.reason ?? "", "the values of title could not be read");
  });

  test.after(async () => {
    for (const name of [index, `${index}-sold`]) await request(cluster, "DELETE", `/${name}`);
  });
}

test.after(stopStarted);

test.run();
