import * as assert from "uvu/assert";
import { type FaultProxy, startFaultProxy } from "../fixtures/fault-proxy.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

/** What a hybrid search request may ask for besides pages and subqueries, and what answers may lack. */
const test = suite("requests of hybrid search");
const upstreams = await startUpstreams();
const toStop: Array<{ stop(): Promise<void> }> = [upstreams];

const SALT = { match: { text: "salt" } };
const HARBOUR = { match: { text: "harbour" } };
const DENSE = { knn: { text_dense: { vector: "[text_dense]", k: 5 } } };
const DOCS = [
  { text: "salt road", year: 1990, genre: "land" },
  { text: "salt harbour", year: 2001, genre: "sea" },
  { text: "harbour lights", year: 2010, genre: "sea" },
];

interface Explained {
  _score: number;
  _explanation: { value: number; description: string; details: Array<{ value: number; description: string }> };
}

for (const cluster of await clusters()) {
  const index = uniqueIndex("requests");
  let proxy: FaultProxy;
  let gateway: TestGateway;
  const hybrid = (queries: unknown[], rest: object = {}, fields: object = {}) =>
    gateway.post("/application/hybrid-search", {
      index,
      search_query: "salt harbour",
      search_request_template: { query: { hybrid: { queries } }, ...rest },
      ...fields,
    });

  test.before(async () => {
    proxy = await startFaultProxy(cluster.url);
    gateway = await startGateway({ node: proxy.url, settings: { indexes: [hybridIndex(`${index}*`)] } });
    toStop.unshift(gateway, proxy);
    await request(cluster, "PUT", `/${index}`, HYBRID_MAPPING);
    const bulk_request = DOCS.map((doc, id) => ({ id: String(id), op: "index", doc }));
    const { body } = await gateway.post("/application/bulk", { index, bulk_request });
    assert.is(body.index_response.errors, false);
    await request(cluster, "POST", `/${index}/_refresh`);
  });

  test.before.each(() => proxy.reset());

  test(`${cluster.version}: returns the same facets each time for a request with size 0`, async () => {
    const aggs = { genres: { terms: { field: "genre" } } };
    for (let round = 0; round < 3; round += 1) {
      const { status, body, text } = await hybrid([SALT, DENSE], { size: 0, aggs });
      assert.is(status, 200, text);
      assert.equal(body.search_response.aggregations.genres?.buckets, [
        { key: "sea", doc_count: 2 },
        { key: "land", doc_count: 1 },
      ]);
    }
  });

  test(`${cluster.version}: a token typed into a match query stays text`, async () => {
    const typed = { match: { text: "[text_dense]" } };
    const { status, body, text } = await hybrid([typed, { match: { text: { query: "[text_sparse] salt" } } }]);
    assert.is(status, 200, text);
    assert.equal(body.search_response.hits.hits.map(({ _id }) => _id).sort(), ["0", "1"]);
    const { hybrid: echoed } = body.search_request_template.query as { hybrid: { queries: unknown[] } };
    assert.equal(echoed.queries[0], typed);
  });

  test(`${cluster.version}: explain shows how the fused score was computed`, async () => {
    const { status, body, text } = await hybrid(
      [SALT, HARBOUR],
      { explain: true, size: 1 },
      { settings: { weights: [0.3, 0.7] } },
    );
    assert.is(status, 200, text);
    const hits = body.search_response.hits.hits as unknown as Explained[];
    assert.match(hits[0]?._explanation.description ?? "", "arithmetic_mean");
    assert.is(hits[0]?._explanation.value, hits[0]?._score);
    assert.match(hits[0]?._explanation.details[0]?.description ?? "", "min_max normalization");
  });

  for (const [combination, factor] of [
    ["arithmetic_mean", 0.5],
    ["geometric_mean", 1],
    ["harmonic_mean", 1],
  ] as const) {
    test(`${cluster.version}: ${combination} ${factor === 1 ? "skips" : "counts"} a subquery that missed a document`, async () => {
      const { status, body, text } = await hybrid([SALT, HARBOUR], { explain: true }, { settings: { combination } });
      assert.is(status, 200, text);
      // The first document only has "salt".
      const hit = body.search_response.hits.hits.find(({ _id }) => _id === "0") as unknown as Explained;
      const found = hit._explanation.details.map(({ value }) => value).filter((value) => value > 0);
      assert.is(found.length, 1);
      assert.ok(Math.abs(hit._score - factor * (found[0] ?? 0)) < 1e-5, `${hit._score} of ${found[0]}`);
    });
  }

  test(`${cluster.version}: explain works on a page, and with no hits`, async () => {
    assert.is((await hybrid([SALT, HARBOUR], { explain: true, size: 1, from: 1 })).status, 200);
    assert.is((await hybrid([SALT, HARBOUR], { explain: true, size: 0 })).status, 200);
  });

  test(`${cluster.version}: a request can add its own response processors`, async () => {
    const search_pipeline = { response_processors: [{ rename_field: { field: "genre", target_field: "kind" } }] };
    const { status, body, text } = await hybrid([SALT], { search_pipeline });
    assert.is(status, 200, text);
    assert.ok(body.search_response.hits.hits.length > 0);
    for (const { _source } of body.search_response.hits.hits)
      assert.equal(Object.keys(_source).sort(), ["kind", "text", "year"]);
    const echoed = body.search_request_template.search_pipeline as { response_processors: unknown[] };
    assert.equal(echoed.response_processors, [{ truncate_hits: {} }, ...search_pipeline.response_processors]);
  });

  test(`${cluster.version}: a response processor that the cluster does not have is 422 with its reason`, async () => {
    const { status, body } = await hybrid([SALT], { search_pipeline: { response_processors: [{ nope: {} }] } });
    assert.is(status, 422);
    assert.match(body.error.cause.reason, "nope");
  });

  test(`${cluster.version}: null means omitted, and the echo has the defaults`, async () => {
    const settings = { weights: null, normalization: null, combination: null };
    const rules = { is_personalized_enabled: null, personalization_weight: null };
    for (const fields of [
      { settings: null, business_rules: null, is_logging_enable: null, user_id: null },
      { settings, business_rules: rules },
    ]) {
      const { status, body, text } = await hybrid([SALT], { search_pipeline: null }, fields);
      assert.is(status, 200, text);
      assert.equal(body.settings, { weights: null, normalization: "min_max", combination: "arithmetic_mean" });
      assert.is((body.business_rules as { is_personalized_enabled: boolean }).is_personalized_enabled, false);
      assert.is(body.is_logging_enable, true);
    }
    const plain = { index, search_request: {}, business_rules: null, is_logging_enable: null };
    assert.is((await gateway.post("/application/search", plain)).status, 200);
  });

  test(`${cluster.version}: failed shards degrade search and hybrid search, and are not reported as depth`, async () => {
    const other = `${index}-other`;
    await request(cluster, "PUT", `/${other}`, {
      mappings: { properties: { text: { type: "keyword" }, year: { type: "text" } } },
    });
    const script = { script: { source: "doc['year'].value > 0", lang: "painless" } };
    const failing = { bool: { must: [{ match_all: {} }], filter: [{ script }] } };
    await request(cluster, "PUT", `/${other}/_doc/1?refresh=true`, { text: "salt", year: "a" });
    const both = `${index},${other}`;
    for (const [path, body] of [
      ["/application/search", { index: both, search_request: { query: failing } }],
      [
        "/application/hybrid-search",
        {
          index: both,
          search_query: "salt",
          search_request_template: { query: { hybrid: { queries: [failing] } }, size: 50 },
        },
      ],
    ] as const) {
      const { status, headers, body: answer, text } = await gateway.post(path, body);
      assert.is(status, 200, text);
      assert.is(headers.get("x-degraded"), "shards", path);
      assert.match(answer.degraded[0]?.reason ?? "", /1 of 2 shards failed: /);
      assert.is(answer.search_response.hits.hits.length, DOCS.length);
    }
  });

  test(`${cluster.version}: a search that times out in the cluster is degraded`, async () => {
    const hits = { total: { value: 900, relation: "eq" }, max_score: null, hits: [] };
    const answer = { took: 1, timed_out: true, _shards: { total: 1, successful: 1, skipped: 0, failed: 0 }, hits };
    proxy.fault({ path: "/_search", fault: { kind: "answer", status: 200, body: JSON.stringify(answer) } });
    assert.is((await hybrid([SALT])).headers.get("x-degraded"), "timed_out");
    const plain = await gateway.post("/application/search", { index, search_request: {} });
    assert.is(plain.headers.get("x-degraded"), "timed_out");
  });

  test(`${cluster.version}: an empty page past the list says, without totals, that it is unknown whether more documents match`, async () => {
    const { status, body, text } = await hybrid([SALT], { from: 200, track_total_hits: false });
    assert.is(status, 200, text);
    assert.equal(body.search_response.hits.hits, []);
    assert.match(body.degraded[0]?.effect ?? "", "it is unknown whether more documents match");
  });

  test(`${cluster.version}: a page past the list is empty, also if min_score leaves nothing to collapse`, async () => {
    const parts = `${index}-parts`;
    const settings = { index: { ...HYBRID_MAPPING.settings.index, number_of_shards: 3 } };
    await request(cluster, "PUT", `/${parts}`, { ...HYBRID_MAPPING, settings });
    const bulk_request = DOCS.map((doc, id) => ({ id: String(id), op: "index", doc }));
    assert.is((await gateway.post("/application/bulk", { index: parts, bulk_request })).status, 200);
    await request(cluster, "POST", `/${parts}/_refresh`);
    const rest = { from: 50, min_score: 5, collapse: { field: "genre" } };
    const { status, body, text } = await hybrid([SALT, HARBOUR], rest, { index: parts });
    assert.is(status, 200, text);
    assert.equal(body.search_response.hits.hits, []);
  });
}

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();
