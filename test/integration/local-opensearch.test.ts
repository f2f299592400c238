import * as assert from "uvu/assert";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("local OpenSearch");

const INDEX = {
  settings: { index: { knn: true, number_of_shards: 1, number_of_replicas: 0 } },
  mappings: {
    properties: {
      title: { type: "text" },
      shelf: { type: "keyword" },
      dense: {
        type: "knn_vector",
        dimension: 4,
        method: { name: "hnsw", engine: "lucene", space_type: "cosinesimil" },
      },
      sparse: { type: "rank_features" },
    },
  },
};

const BOOKS = [
  { title: "The sea wolf", shelf: "a", dense: [1, 0, 0, 0], sparse: { sea: 2, wolf: 1 } },
  { title: "Call of the wild", shelf: "a", dense: [0, 1, 0, 0], sparse: { wild: 2 } },
  { title: "White fang and the wolf", shelf: "b", dense: [0, 0, 1, 0], sparse: { wolf: 2, fang: 1 } },
  { title: "Burning daylight", shelf: "a", dense: [0, 0, 0, 1], sparse: { fire: 2 } },
];

const bulk = BOOKS.flatMap((book, id) => [{ index: { _id: String(id) } }, book])
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("");

const HYBRID = {
  size: 3,
  query: {
    hybrid: {
      pagination_depth: 10,
      queries: [
        { match: { title: "wolf" } },
        { knn: { dense: { vector: [1, 0.1, 0, 0], k: 2, filter: { term: { shelf: "a" } } } } },
        { neural_sparse: { sparse: { query_tokens: { sea: 1, wolf: 1 } } } },
      ],
    },
  },
  search_pipeline: {
    request_processors: [{ oversample: { sample_factor: 1 } }],
    phase_results_processors: [
      {
        "normalization-processor": {
          normalization: { technique: "min_max" },
          combination: { technique: "arithmetic_mean", parameters: { weights: [0.4, 0.3, 0.3] } },
        },
      },
    ],
    response_processors: [{ truncate_hits: {} }],
  },
};

for (const cluster of await clusters()) {
  test(`${cluster.version}: is the version that was asked for`, async () => {
    const { body } = await request<{ version: { number: string } }>(cluster, "GET", "/");
    assert.is(body.version.number, cluster.version);
  });

  test(`${cluster.version}: answers a hybrid query of text, vector and sparse tokens`, async () => {
    const index = uniqueIndex("smoke");
    assert.is((await request(cluster, "PUT", `/${index}`, INDEX)).status, 200);
    const stored = await request<{ errors: boolean }>(cluster, "POST", `/${index}/_bulk?refresh=true`, bulk);
    assert.is(stored.body.errors, false);

    const found = await request<{ hits: { hits: { _id: string }[] } }>(cluster, "POST", `/${index}/_search`, HYBRID);

    assert.is(found.status, 200, JSON.stringify(found.body));
    assert.equal(
      found.body.hits.hits.map((hit) => hit._id),
      ["0", "2", "1"],
    );
    await request(cluster, "DELETE", `/${index}`);
  });
}

test.run();
