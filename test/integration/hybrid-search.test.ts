import * as assert from "uvu/assert";
import { type AnySearchAnswer, readRun } from "../../packages/lab/evaluation/searches.ts";
import { patient } from "../../packages/processes/wait.ts";
import { corpus } from "../fixtures/corpus.ts";
import { fillIndex } from "../fixtures/fill-index.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { everyPage } from "../fixtures/pages.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("hybrid search");
const upstreams = await startUpstreams();

const KEYWORD = { match: { text: "salt harbour" } };
const DENSE = { knn: { text_dense: { vector: "[text_dense]", k: 30 } } };
const SPARSE = { bool: { should: "[text_sparse]" } };

const template = (queries: unknown[], rest: object = {}) => ({ query: { hybrid: { queries } }, ...rest });

interface Explained {
  _score: number;
  _explanation: { value: number; description: string; details: Array<{ description: string }> };
}

for (const cluster of await clusters()) {
  const index = uniqueIndex("hybrid");
  let gateway: TestGateway;
  const hybrid = (search_request_template: unknown, rest: object = {}, to = gateway) =>
    to.post("/application/hybrid-search", {
      ...{ index, search_query: "salt harbour", search_request_template },
      ...rest,
    });

  test.before(async () => {
    // Enough candidates for all 400 documents.
    const settings = { indexes: [hybridIndex(`${index}*`, { candidates: 400 })] };
    gateway = await startGateway({ node: cluster.url, settings });
    await fillIndex(cluster, gateway, index, corpus(400));
  });

  test.before.each(() => upstreams.models.control.reset());

  test(`${cluster.version}: pages hold every hit of the fused list exactly once`, async () => {
    const page = async (rest: object) => {
      const queries = [{ bool: { should: [KEYWORD, { match_all: {} }] } }, DENSE, SPARSE];
      const { status, body, text } = await hybrid(template(queries, rest));
      assert.is(status, 200, text);
      return body.search_response.hits.hits.map(({ _id }) => _id);
    };
    const seen = await everyPage(page, 70);
    assert.is(new Set(seen).size, seen.length, "no id twice");
    assert.ok(seen.length > 300, `${seen.length} hits`);
    assert.equal(seen, await page({ size: 400 }), "neither the order nor the hits change with the size of the page");
  });

  test(`${cluster.version}: logs the text, the settings with their defaults, and the template with its tokens`, async () => {
    const search_request_template = template([KEYWORD, DENSE, SPARSE], { size: 4 });
    gateway.log.length = 0;
    const { body, headers } = await hybrid(search_request_template, {
      settings: { weights: [0.5, 0.3, 0.2], normalization: "l2" },
      user_id: "u1",
    });
    assert.is(gateway.log.length, 1);
    const { query, query_attributes, timestamp, query_response_id, ...line } = JSON.parse(gateway.log[0] ?? "");
    assert.equal(line, {
      type: "relevance.search",
      application: "test",
      query_id: headers.get("x-query-id"),
      client_id: null,
      user_id: "u1",
      user_query: "salt harbour",
      object_id_field: "_id",
      query_response_hit_ids: body.search_response.hits.hits.map(({ _id }) => _id),
      total: body.search_response.hits.total.value,
    });
    assert.is(query_response_id, headers.get("x-request-id"));
    assert.ok(Math.abs(Date.now() - Date.parse(timestamp)) < patient(60_000));
    assert.equal(JSON.parse(query), search_request_template);
    const { milliseconds, ...attributes } = query_attributes;
    assert.equal(attributes, {
      index,
      endpoint: "hybrid-search",
      key: "default",
      settings: { weights: [0.5, 0.3, 0.2], normalization: "l2", combination: "arithmetic_mean" },
      experiment: null,
      personalized: false,
      degraded: [],
    });
    // A second search counts where the cluster counts wrong.
    const counting = cluster.version === "2.19.6" ? [] : ["totals"];
    assert.equal(Object.keys(milliseconds).sort(), ["catalog", "cluster", "embedding", "total", ...counting]);
  });

  test(`${cluster.version}: uses the settings of the index when the request has none, and evaluations know the weights`, async () => {
    const settings = { weights: [0.9, 0.1], normalization: "l2" as const, combination: "harmonic_mean" as const };
    const indexes = [hybridIndex(index, { settings, candidates: 400 })];
    const tuned = await startGateway({ node: cluster.url, settings: { indexes } });
    const { body } = await hybrid(template([KEYWORD, DENSE]), {}, tuned);
    assert.equal(body.settings, { ...settings, weights: null });
    assert.match(JSON.stringify(body.search_request_template.search_pipeline), '"weights":[0.9,0.1]');
    assert.equal(readRun({ body: body as unknown as AnySearchAnswer, milliseconds: 0 }).fusedBy, settings);
    const asked = await hybrid(template([KEYWORD, DENSE]), { settings });
    assert.equal(body.search_response.hits.hits, asked.body.search_response.hits.hits);
  });

  test(`${cluster.version}: answers 503 when every subquery fails`, async () => {
    upstreams.models.control.setFaults("dense_large_en_v1_5", [{ kind: "status", status: 500 }]);
    const { status, body } = await hybrid(template([DENSE]), { search_query: `salt ${Math.random()}` });
    assert.equal([status, body.error.code], [503, "upstream_unavailable"]);
  });

  test(`${cluster.version}: explain shows how the fused score was computed`, async () => {
    const [first, second] = ["salt", "harbour"].map((text) => ({ match: { text } }));
    const explained = template([first, second], { explain: true, size: 1 });
    const { status, body, text } = await hybrid(explained, { settings: { weights: [0.3, 0.7] } });
    assert.is(status, 200, text);
    const [hit] = body.search_response.hits.hits as unknown as [Explained];
    assert.match(hit._explanation.description, "arithmetic_mean");
    assert.is(hit._explanation.value, hit._score);
    assert.match(hit._explanation.details[0]?.description ?? "", "min_max normalization");
  });

  test(`${cluster.version}: null means omitted, and the echo has the defaults`, async () => {
    const settings = { weights: null, normalization: null, combination: null };
    const rules = { is_personalized_enabled: null, personalization_weight: null };
    for (const fields of [
      { settings: null, business_rules: null, is_logging_enable: null, user_id: null },
      { settings, business_rules: rules },
    ]) {
      const { status, body, text } = await hybrid(template([KEYWORD], { search_pipeline: null }), fields);
      assert.is(status, 200, text);
      assert.equal(body.settings, { weights: null, normalization: "min_max", combination: "arithmetic_mean" });
      assert.is((body.business_rules as { is_personalized_enabled: boolean }).is_personalized_enabled, false);
      assert.is(body.is_logging_enable, true);
    }
  });

  test(`${cluster.version}: failed shards degrade search and hybrid search, and are not reported as depth`, async () => {
    const other = `${index}-other`;
    await request(cluster, "PUT", `/${other}`, {
      mappings: { properties: { text: { type: "keyword" }, year: { type: "text" } } },
    });
    await request(cluster, "PUT", `/${other}/_doc/1?refresh=true`, { text: "salt", year: "a" });
    const script = { script: { source: "doc['year'].value > 0", lang: "painless" } };
    const failing = { bool: { must: [{ match_all: {} }], filter: [{ script }] } };
    const both = { index: `${index},${other}` };
    const plain = gateway.post("/application/search", { ...both, search_request: { query: failing } });
    for (const answer of [await plain, await hybrid(template([failing], { size: 500 }), both)]) {
      assert.equal([answer.status, answer.headers.get("x-degraded")], [200, "shards"], answer.text);
      assert.match(answer.body.degraded[0]?.reason ?? "", /1 of 2 shards failed: /);
      assert.ok(answer.body.search_response.hits.hits.length > 0);
    }
  });

  test(`${cluster.version}: embeddings are left out of hits, inner hits and top_hits, unless asked for`, async () => {
    const parts = `${index}-parts`;
    const properties = { ...HYBRID_MAPPING.mappings.properties, parts: { type: "nested" } };
    const doc = { text: "salt road", genre: "a", parts: [{ word: "salt" }] };
    await fillIndex(cluster, gateway, parts, [{ id: "1", doc }], { ...HYBRID_MAPPING, mappings: { properties } });
    const found = async (own: object) => {
      const nested = { path: "parts", query: { match: { "parts.word": "salt" } }, inner_hits: own };
      const search_request_template = template([KEYWORD, { nested }], {
        aggs: { genres: { terms: { field: "genre" }, aggs: { best: { top_hits: { size: 1, ...own } } } } },
        ...(cluster.version.startsWith("3.") && {
          collapse: { field: "genre", inner_hits: { name: "same", ...own } },
        }),
      });
      const { status, body, text } = await hybrid(search_request_template, { index: parts });
      assert.is(status, 200, text);
      return body.search_response as unknown as Record<string, object>;
    };
    const { hits, aggregations } = await found({});
    for (const shown of [hits, aggregations].map((one) => JSON.stringify(one))) {
      assert.match(shown, "salt road");
      assert.not.match(shown, /text_(dense|sparse)"/);
    }
    assert.match(JSON.stringify(await found({ _source: ["text_sparse", "parts.word"] })), /"text_sparse":/);
  });
}

test.after(stopStarted);
test.run();
