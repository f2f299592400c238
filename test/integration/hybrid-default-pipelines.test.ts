import * as assert from "uvu/assert";
import { documentBucket } from "../fixtures/document-bucket.ts";
import { fillIndex } from "../fixtures/fill-index.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import type { Json } from "../fixtures/gateway-json.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

/** The cluster runs an index's own search pipeline for its searches; ours takes its place in a hybrid one, so it must contain it. */
const test = suite("hybrid search of an index with a default search pipeline");
await startUpstreams();

const SALT = { match: { text: "salt" } };
const DENSE = { knn: { text_dense: { vector: "[text_dense]", k: 10 } } };
const RERANK = { model: "reranker", fields: ["text"], candidates: 20, timeout_ms: 10_000, by_default: false };
const renamed = (field: string, target_field: string) => ({ rename_field: { field, target_field } });
const ofTenant = (tenant: string) => ({ filter_query: { query: { term: { genre: tenant } } } });

/** Default pipelines by the end of the name of their index. */
const PIPELINES = {
  tenant: { request_processors: [ofTenant("a")], response_processors: [renamed("genre", "tenant")] },
  renaming: { response_processors: [renamed("text", "label")] },
  page: { request_processors: [{ oversample: { sample_factor: 3.0 } }], response_processors: [{ truncate_hits: {} }] },
  fusing: {
    phase_results_processors: [
      {
        "normalization-processor": { normalization: { technique: "l2" }, combination: { technique: "harmonic_mean" } },
      },
    ],
  },
  changed: { response_processors: [renamed("text", "before")] },
};

const hitsOf = ({ search_response }: Json) => search_response.hits.hits;
const scores = (found: Json) => hitsOf(found).map(({ _id, _score }) => [_id, _score]);

const BUCKET = await documentBucket({
  rules: [
    {
      name: "pin",
      when: { text: { is: ["salt pinned"] } },
      effects: { pin: [{ id: "0", place: 1, ignore_filters: true }] },
    },
  ],
});

for (const cluster of await clusters()) {
  const all = uniqueIndex("default-pipeline");
  const named = (name: keyof typeof PIPELINES | "none" | "lost") => `${all}-${name}`;
  const canFilter = !cluster.version.startsWith("2.");
  let gateway: TestGateway;
  const hybrid = (index: string, native: object = {}, fields: object = {}) =>
    gateway.post("/application/hybrid-search", {
      ...{ index, search_query: "salt", ...fields },
      search_request_template: { size: 20, query: { hybrid: { queries: [SALT, DENSE] } }, ...native },
    });
  const found = async (...of: Parameters<typeof hybrid>): Promise<Json> => {
    const { status, body, text } = await hybrid(...of);
    assert.is(status, 200, text);
    return body;
  };

  test.before(async () => {
    gateway = await startGateway({
      node: cluster.url,
      settings: {
        indexes: [hybridIndex(`${all}-*`, { rerank: RERANK })],
        reranker_endpoint: "reranker",
        has_rules: true,
      },
      env: { BUCKET },
    });
    for (const [name, pipeline] of Object.entries(PIPELINES)) {
      await request(cluster, "PUT", `/_search/pipeline/${all}-${name}`, pipeline);
    }
    for (const name of [...Object.keys(PIPELINES), "none", "lost"]) {
      const { settings, mappings } = HYBRID_MAPPING;
      const own = name === "none" ? {} : { "search.default_pipeline": `${all}-${name}` };
      const documents = Array.from({ length: 10 }, (_, id) => ({
        ...{ id: String(id), doc: { text: `salt ${"road ".repeat(id)}`, genre: id % 2 ? "a" : "b", year: 1900 + id } },
      }));
      const definition = { settings: { index: { ...settings.index, ...own } }, mappings };
      await fillIndex(cluster, gateway, `${all}-${name}`, documents, definition);
    }
  });

  test.after(async () => {
    for (const name of Object.keys(PIPELINES)) {
      await request(cluster, "PUT", `/${all}-${name}/_settings`, { "index.search.default_pipeline": "_none" });
      await request(cluster, "DELETE", `/_search/pipeline/${all}-${name}`);
    }
  });

  if (canFilter) {
    test(`${cluster.version}: finds what filter_query of the index lets through, and shows it as the index's pipeline does`, async () => {
      const body = await found(named("tenant"));
      assert.is(body.search_response.hits.total.value, 5);
      assert.equal([...new Set(hitsOf(body).map(({ _source }) => _source.tenant))], ["a"]);
    });

    test(`${cluster.version}: pins no document that filter_query of the index leaves out`, async () => {
      const body = await found(named("tenant"), {}, { search_query: "salt pinned" });
      assert.is(hitsOf(body).length, 5);
      assert.not.ok(hitsOf(body).some(({ _id }) => _id === "0"));
    });

    test(`${cluster.version}: runs the pipeline of one index for those beside it that name none, as the cluster does`, async () => {
      const body = await found(`${named("tenant")},${named("none")}`);
      assert.is(body.search_response.hits.total.value, 10);
      assert.equal([...new Set(hitsOf(body).map(({ _source }) => _source.tenant))], ["a"]);
    });
  } else {
    test(`${cluster.version}: refuses a hybrid search of an index with filter_query, and says why`, async () => {
      const { status, text } = await hybrid(named("tenant"));
      assert.is(status, 400, text);
      assert.match(text, /default_pipeline with filter_query, which OpenSearch 2\.19\.6 refuses beside a hybrid query/);
    });
  }

  test(`${cluster.version}: candidates are those that filter_query of the index lets through`, async () => {
    const { status, body, text } = await gateway.post<{ subqueries: Array<{ shards: Array<{ hits: unknown[] }> }> }>(
      "/application/hybrid-search/candidates",
      {
        index: named("tenant"),
        search_query: "salt",
        search_request_template: { query: { hybrid: { queries: [SALT] } } },
      },
    );
    assert.is(status, 200, text);
    assert.is(body.subqueries[0]?.shards[0]?.hits.length, 5);
  });

  test(`${cluster.version}: response processors of the request run after those of the index`, async () => {
    const search_pipeline = { response_processors: [renamed("label", "title")] };
    const body = await found(named("renaming"), { search_pipeline });
    assert.equal(Object.keys(hitsOf(body)[0]?._source ?? {}).sort(), ["genre", "title", "year"]);
  });

  test(`${cluster.version}: a pinned document is shown as the index's pipeline shows others`, async () => {
    const body = await found(named("renaming"), { size: 3 }, { search_query: "salt pinned" });
    assert.is(hitsOf(body)[0]?._id, "0");
    assert.equal(new Set(hitsOf(body).map(({ _source }) => "label" in _source)), new Set([true]));
  });

  test(`${cluster.version}: reranks by stored fields that the index's pipeline renames`, async () => {
    const body = await found(named("renaming"), {}, { rerank: { is_enabled: true } });
    assert.is(body.degraded, undefined, JSON.stringify(body.degraded));
  });

  test(`${cluster.version}: an oversample of the index changes the size of no page`, async () => {
    assert.equal(scores(await found(named("page"), { size: 3 })), scores(await found(named("none"), { size: 3 })));
  });

  test(`${cluster.version}: the gateway's settings decide on the technique, not a processor of the index`, async () => {
    assert.equal(scores(await found(named("fusing"))), scores(await found(named("none"))));
  });

  test(`${cluster.version}: the echo shows none of the index's processors`, async () => {
    const { search_request_template } = await found(named("renaming"));
    assert.not.match(JSON.stringify(search_request_template), "rename_field");
  });

  test(`${cluster.version}: refuses indexes with different pipelines, and a pipeline that does not exist`, async () => {
    const several = await hybrid(`${named("renaming")},${named("page")}`);
    assert.is(several.status, 400, several.text);
    assert.match(several.text, "different values of index.search.default_pipeline");
    const lost = await hybrid(named("lost"));
    assert.is(lost.status, 400, lost.text);
    assert.match(lost.text, "which the cluster does not have");
  });

  test(`${cluster.version}: a pipeline that is changed through the raw backend is used at once`, async () => {
    const shown = async () => Object.keys(hitsOf(await found(named("changed")))[0]?._source ?? {});
    assert.ok((await shown()).includes("before"));
    const pipeline = JSON.stringify({ response_processors: [renamed("text", "after")] });
    const { status, text } = await gateway.send("PUT", `/raw-backend/_search/pipeline/${named("changed")}`, {
      body: pipeline,
      headers: { "content-type": "application/json" },
    });
    assert.is(status, 200, text);
    assert.ok((await shown()).includes("after"));
  });
}

test.after(stopStarted);

test.run();
