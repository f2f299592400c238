import * as assert from "uvu/assert";
import { CALLERS_FAULTS } from "../../lib/search/opensearch/calls.ts";
import { startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { type Cluster, clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("invalid searches that the cluster answers with 500 or 503");

const ALL = { match_all: {} };
const aggregation = (a: object, rest: object = {}) => ({ size: 0, aggs: { a, ...rest } });
const byGenre = (aggs: object) => aggregation({ terms: { field: "genre" }, aggs });
const scored = (parts: object) => ({ query: { function_score: { query: ALL, ...parts } } });
const processed = (processor: object) => ({ search_pipeline: { response_processors: [processor] } });
const many = (field: string) => Array.from({ length: 1_000 }, (_, n) => ({ term: { [field]: `a${n}` } }));

/** What is wrong, the exception, and the search: as text where JavaScript cannot hold it. */
const SEARCHES: ReadonlyArray<[what: string, type: string, search: object | string]> = [
  ["slice without a scroll", "search_exception", { slice: { id: 0, max: 2 } }],
  [
    "collapse with rescore",
    "search_exception",
    { collapse: { field: "genre" }, rescore: { query: { rescore_query: ALL } } },
  ],
  ["from with search_after", "search_exception", { sort: ["year"], search_after: [1], from: 3 }],
  ["no stored fields but _source", "search_exception", { stored_fields: "_none_", _source: true }],
  [
    "an unknown order",
    "aggregation_execution_exception",
    aggregation({ terms: { field: "genre", order: { nope: "asc" } } }),
  ],
  [
    "a pattern on numbers",
    "aggregation_execution_exception",
    aggregation({ terms: { field: "year", include: "a.*" } }),
  ],
  ["statistics of keywords", "aggregation_execution_exception", aggregation({ matrix_stats: { fields: ["genre"] } })],
  [
    "a path to several values",
    "aggregation_execution_exception",
    byGenre({
      s: { stats: { field: "year" } },
      b: { bucket_selector: { buckets_path: { x: "s" }, script: "params.x > 1" } },
    }),
  ],
  [
    "a page of too many buckets",
    "too_many_buckets_exception",
    aggregation({ composite: { size: 70_000, sources: [{ g: { terms: { field: "genre" } } }] } }),
  ],
  [
    "too many empty buckets",
    "too_many_buckets_exception",
    aggregation({
      histogram: { field: "year", interval: 1, min_doc_count: 0, extended_bounds: { min: 0, max: 70_000 } },
    }),
  ],
  [
    "too many nested clauses",
    "too_many_clauses",
    { query: { bool: { should: [{ bool: { should: many("text") } }, { bool: { should: many("genre") } }] } } },
  ],
  [
    "a text of 340 words in three fields",
    "too_many_nested_clauses",
    {
      query: {
        bool: {
          must: {
            multi_match: {
              query: Array.from({ length: 340 }, (_, n) => `w${n}`).join(" "),
              fields: ["text", "title", "note"],
            },
          },
          filter: Array.from({ length: 20 }, (_, n) => ({ term: { genre: `g${n}` } })),
        },
      },
    },
  ],
  ["a long number", "stream_constraints_exception", `{"size":${"1".repeat(1_001)}}`],
  ["sorting by a vector", "unsupported_operation_exception", { sort: ["vector"] }],
  ["grouping by a vector", "unsupported_operation_exception", aggregation({ terms: { field: "vector" } })],
  ["a distance between numbers", "class_cast_exception", { sort: [{ _geo_distance: { year: [0, 0] } }] }],
  ["a missing factor", "exception", scored({ field_value_factor: { field: "other" } })],
  [
    "a score that is not a number",
    "exception",
    scored({ field_value_factor: { field: "year", factor: -1, modifier: "log" } }),
  ],
  [
    "hdr percentiles of negative values",
    "array_index_out_of_bounds_exception",
    aggregation({ percentiles: { field: "depth", hdr: { number_of_significant_value_digits: 3 } } }),
  ],
  ["collapse by several values", "illegal_state_exception", { collapse: { field: "several" } }],
  ["truncate_hits without a size", "illegal_state_exception", processed({ truncate_hits: {} })],
  [
    "a query of a plugin that is missing",
    "illegal_state_exception",
    { query: { neural: { vector: { query_text: "a", model_id: "nope", k: 5 } } } },
  ],
  [
    "rerank without its text",
    "null_pointer_exception",
    processed({ rerank: { ml_opensearch: { model_id: "x" }, context: { document_fields: ["text"] } } }),
  ],
];

const MAPPING = {
  settings: { index: { knn: true, number_of_shards: 1, number_of_replicas: 0 } },
  mappings: {
    properties: {
      text: { type: "text" },
      title: { type: "text" },
      note: { type: "text" },
      genre: { type: "keyword" },
      year: { type: "integer" },
      depth: { type: "integer" },
      several: { type: "integer" },
      other: { type: "long" },
      vector: {
        type: "knn_vector",
        dimension: 2,
        method: { engine: "lucene", name: "hnsw", space_type: "cosinesimil" },
      },
    },
  },
};
const DOCUMENTS = [
  { text: "salt", genre: "land", year: 1990, depth: -1, several: [1, 2], vector: [1, 2] },
  { text: "road", genre: "sea", year: 2001, depth: -2, several: [3, 4], vector: [2, 1] },
];

async function createIndex(cluster: Cluster): Promise<string> {
  const index = uniqueIndex("faults");
  assert.is((await request(cluster, "PUT", `/${index}`, MAPPING)).status, 200);
  for (const [id, document] of DOCUMENTS.entries()) {
    await request(cluster, "PUT", `/${index}/_doc/${id}?refresh=true`, document);
  }
  return index;
}

for (const cluster of await clusters()) {
  let gateway: TestGateway;
  let index: string;

  test.before(async () => {
    gateway = await startGateway({ node: cluster.url });
    index = await createIndex(cluster);
  });

  for (const [what, type, search] of SEARCHES) {
    test(`${cluster.version}: ${what} is 422 with the cluster's reason, and unchanged on the raw backend`, async () => {
      const native = typeof search === "string" ? search : JSON.stringify(search);
      const headers = { "content-type": "application/json" };
      const direct = await fetch(`${cluster.url}/${index}/_search`, { method: "POST", headers, body: native });
      assert.ok(direct.status >= 500, `the cluster answers ${direct.status}: ${await direct.text()}`);
      const { status, body, text } = await gateway.post(
        "/application/search",
        `{"index":"${index}","search_request":${native}}`,
      );
      assert.equal([status, body.error.code, body.error.cause.type], [422, "rejected_by_cluster", type], text);
      assert.ok(body.error.cause.reason);
      assert.is((await gateway.post(`/raw-backend/${index}/_search`, native)).status, direct.status);
    });
  }

  test(`${cluster.version}: hybrid search answers the same`, async () => {
    const query = { hybrid: { queries: [scored({ field_value_factor: { field: "other" } }).query] } };
    const hybrid = { index, search_query: "salt", search_request_template: { query } };
    const { status, body } = await gateway.post("/application/hybrid-search", hybrid);
    assert.equal([status, body.error.code], [422, "rejected_by_cluster"]);
  });

  for (const block of ["read", "metadata"]) {
    test(`${cluster.version}: a block of the index against ${block} is the operator's, in the cluster's words`, async () => {
      const blocked = await createIndex(cluster);
      const set = (value: boolean | null) =>
        request(cluster, "PUT", `/${blocked}/_settings`, { index: { blocks: { [block]: value } } });
      assert.is((await set(true)).status, 200);
      const query = { hybrid: { queries: [ALL] } };
      const { status, body, text } = await gateway.post("/application/hybrid-search", {
        ...{ index: blocked, search_query: "salt", search_request_template: { query } },
      });
      await set(false);
      await request(cluster, "DELETE", `/${blocked}`);
      assert.equal([status, body.error.code], [403, "forbidden"], text);
      assert.match(body.error.message, `has blocked this: index [${blocked}] blocked by: [FORBIDDEN/`);
    });
  }
}

test("tries every type of the table", () => {
  const tried = SEARCHES.map(([, type]) => type);
  assert.equal([...new Set(tried)].sort(), CALLERS_FAULTS.map(({ type }) => type).sort());
});

test.after(stopStarted);

test.run();
