import * as assert from "uvu/assert";
import { type AnySearchAnswer, readRun } from "../../packages/lab/evaluation/searches.ts";
import { patient } from "../../packages/processes/wait.ts";
import { corpus } from "../fixtures/corpus.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { everyPage } from "../fixtures/pages.ts";
import { suite } from "../suite.ts";

const test = suite("hybrid search");
const upstreams = await startUpstreams();
const gateways: TestGateway[] = [];

const KEYWORD = { match: { text: "salt harbour" } };
const DENSE = { knn: { text_dense: { vector: "[text_dense]", k: 30 } } };
const SPARSE = { bool: { should: "[text_sparse]" } };
const SEA = [{ term: { genre: "sea" } }];

const template = (queries: unknown[], rest: object = {}) => ({ query: { hybrid: { queries } }, ...rest });

for (const cluster of await clusters()) {
  const index = uniqueIndex("hybrid");
  let gateway: TestGateway;
  /** The same, with enough candidates for all 400 documents. */
  let deep: TestGateway;
  const hybrid = (search_request_template: unknown, rest: object = {}, to = gateway) =>
    to.post("/application/hybrid-search", {
      index,
      search_query: "salt harbour",
      search_request_template,
      ...rest,
    });

  test.before(async () => {
    gateway = await startGateway({ node: cluster.url, settings: { indexes: [hybridIndex(index)] } });
    deep = await startGateway({
      node: cluster.url,
      settings: { indexes: [hybridIndex(index, { candidates: 400 })] },
    });
    gateways.push(gateway, deep);
    await request(cluster, "PUT", `/${index}`, HYBRID_MAPPING);
    const bulk_request = corpus(400).map(({ id, doc }) => ({ id, op: "index", doc }));
    const { body } = await gateway.post("/application/bulk", { index, bulk_request });
    assert.is(body.index_response.errors, false);
    await request(cluster, "POST", `/${index}/_refresh`);
  });

  test.before.each(() => upstreams.models.control.reset());

  test(`${cluster.version}: echoes the template with its tokens and the pipeline, and the complete settings`, async () => {
    const search_request_template = template([KEYWORD, DENSE, SPARSE], { size: 3 });
    const { status, body } = await hybrid(search_request_template);
    assert.is(status, 200);
    const { search_response, search_request_template: echoed, ...echo } = body;
    assert.equal(echo, {
      index,
      search_query: "salt harbour",
      settings: { weights: null, normalization: "min_max", combination: "arithmetic_mean" },
      user_id: null,
      business_rules: { is_personalized_enabled: false },
      is_logging_enable: true,
    });
    const { search_pipeline, ...template_ } = echoed;
    assert.equal(template_, search_request_template);
    assert.equal(search_pipeline, {
      request_processors: [{ oversample: { sample_factor: 1 } }],
      response_processors: [{ truncate_hits: {} }],
      phase_results_processors: [
        {
          "normalization-processor": {
            normalization: { technique: "min_max" },
            combination: { technique: "arithmetic_mean" },
          },
        },
      ],
    });
    assert.is(search_response.hits.hits.length, 3);
    assert.equal(search_response.profile, { shards: [] });
  });

  test(`${cluster.version}: leaves embeddings out of the hits unless the template asks for them`, async () => {
    const plain = await hybrid(template([DENSE], { size: 1 }));
    assert.equal(Object.keys(plain.body.search_response.hits.hits[0]?._source ?? {}).sort(), ["genre", "text", "year"]);
    const asked = await hybrid(template([DENSE], { size: 1, _source: ["text_sparse"] }));
    assert.equal(Object.keys(asked.body.search_response.hits.hits[0]?._source ?? {}), ["text_sparse"]);
  });

  for (const size of [10, 30, 70]) {
    test(`${cluster.version}: pages of ${size} hold every hit of the fused list exactly once`, async () => {
      const page = async (rest: object) => {
        const queries = [{ bool: { should: [KEYWORD, { match_all: {} }] } }, DENSE, SPARSE];
        const { status, body, text } = await hybrid(template(queries, rest), {}, deep);
        assert.is(status, 200, text);
        return body.search_response.hits.hits.map(({ _id }) => _id);
      };
      const seen = await everyPage(page, size);
      assert.is(new Set(seen).size, seen.length, "no id twice");
      assert.ok(seen.length > 300, `${seen.length} hits`);
      assert.equal(seen, await page({ size: 400 }), "neither the order nor the hits change with the size of the page");
    });
  }

  test(`${cluster.version}: a page past the candidates says that more documents may match`, async () => {
    const { status, body, headers } = await hybrid(template([{ match_all: {} }], { size: 10, from: 300 }));
    assert.is(status, 200);
    assert.equal(body.search_response.hits.hits, []);
    assert.equal(
      body.degraded.map(({ stage }) => stage),
      ["depth"],
    );
    assert.is(headers.get("x-degraded"), "depth");
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

  test(`${cluster.version}: logs nothing when logging is off`, async () => {
    gateway.log.length = 0;
    await hybrid(template([KEYWORD]), { is_logging_enable: false });
    assert.equal(gateway.log, []);
  });

  test(`${cluster.version}: the sparse subquery with a filter returns only documents that share a token`, async () => {
    const { body } = await gateway.post("/application/hybrid-search", {
      index,
      search_query: "lighthouse",
      search_request_template: template([{ bool: { should: "[text_sparse]", filter: SEA } }], {
        size: 100,
        _source: ["text", "genre"],
      }),
    });
    const sharing = corpus(400).filter(({ doc }) => doc.genre === "sea" && doc.text.includes("lighthouse"));
    const ids = body.search_response.hits.hits.map(({ _id }) => _id);
    assert.equal(ids.sort(), sharing.map(({ id }) => id).sort());
  });

  test(`${cluster.version}: returns no hits for words in no document and no vocabulary`, async () => {
    const { body } = await gateway.post("/application/hybrid-search", {
      index,
      search_query: "…",
      search_request_template: template([SPARSE]),
    });
    assert.is(body.search_response.hits.total.value, 0);
  });

  test(`${cluster.version}: when the dense model fails, the other subqueries answer, and the answer says so`, async () => {
    upstreams.models.control.setFaults("dense_large_en_v1_5", [{ kind: "status", status: 500 }]);
    const query = `salt harbour ${Math.random()}`;
    const { status, body, headers } = await gateway.post("/application/hybrid-search", {
      index,
      search_query: query,
      search_request_template: template([KEYWORD, DENSE]),
      settings: { weights: [0, 1] },
    });
    assert.is(status, 200);
    assert.is(headers.get("x-degraded"), "embedding");
    assert.is(body.degraded.length, 1);
    assert.is(body.degraded[0]?.target, "text_dense");
    assert.match(body.degraded[0]?.effect ?? "", "subquery 2 left out; the remaining weights were all 0");
    assert.ok(body.search_response.hits.hits.length > 0);
    assert.equal(body.settings.weights, [0, 1]);
  });

  test(`${cluster.version}: uses the settings of the index when the request has none, and shows them in the pipeline`, async () => {
    const settings = { weights: [0.9, 0.1], normalization: "l2" as const, combination: "harmonic_mean" as const };
    const tuned = await startGateway({ node: cluster.url, settings: { indexes: [hybridIndex(index, { settings })] } });
    gateways.push(tuned);
    const ask = (to: TestGateway, own?: object) => hybrid(template([KEYWORD, DENSE]), own && { settings: own }, to);
    const { body } = await ask(tuned);
    assert.equal(body.settings, { ...settings, weights: null });
    assert.match(JSON.stringify(body.search_request_template.search_pipeline), '"weights":[0.9,0.1]');
    assert.equal(
      readRun({ body: body as unknown as AnySearchAnswer, milliseconds: 0 }).fusedBy,
      settings,
      "evaluations know the weights",
    );
    const asked = await ask(gateway, settings);
    assert.equal(body.search_response.hits.hits, asked.body.search_response.hits.hits);
    const own = { weights: [0.5, 0.5], normalization: "min_max", combination: "arithmetic_mean" };
    const [first, second] = [await ask(tuned, own), await ask(gateway, own)];
    assert.equal(first.body.settings, own);
    assert.equal(first.body.search_response.hits.hits, second.body.search_response.hits.hits);
  });

  test(`${cluster.version}: answers 503 when every subquery fails`, async () => {
    upstreams.models.control.setFaults("dense_large_en_v1_5", [{ kind: "status", status: 500 }]);
    const { status, body } = await gateway.post("/application/hybrid-search", {
      index,
      search_query: `salt ${Math.random()}`,
      search_request_template: template([DENSE]),
    });
    assert.is(status, 503);
    assert.is(body.error.code, "upstream_unavailable");
  });

  test(`${cluster.version}: returns the cluster's profile if its version supports that; otherwise reports that it is left out`, async () => {
    const { status, body } = await hybrid(template([KEYWORD], { profile: true, size: 2 }));
    assert.is(status, 200);
    if (cluster.version === "2.19.6") {
      assert.equal(body.search_response.profile, { shards: [] });
      assert.is(body.degraded[0]?.stage, "profile");
    } else {
      assert.is(body.search_response.profile.shards.length, 1);
      assert.is(body.degraded, undefined);
    }
  });
}

test.after(async () => {
  for (const gateway of gateways) await gateway.stop();
  await upstreams.stop();
});

test.run();
