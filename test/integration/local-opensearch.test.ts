import * as assert from "uvu/assert";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("local OpenSearch");

const all = await clusters();

interface Hits {
  hits: { hits: { _id: string; _source: unknown }[] };
}

async function search(cluster: { url: string }, index: string, body: object) {
  const { body: answer } = await request<Hits>(cluster, "POST", `/${index}/_search`, body);
  return answer.hits.hits;
}

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

for (const cluster of all) {
  test(`${cluster.version}: runs the requested version`, async () => {
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

for (const cluster of all) {
  test(`${cluster.version}: copies an index with _reindex and deletes by query`, async () => {
    const [from, to] = [uniqueIndex("from"), uniqueIndex("to")];
    await request(cluster, "POST", `/${from}/_bulk?refresh=true`, '{"index":{}}\n{"n":1}\n{"index":{}}\n{"n":2}\n');

    const copied = await request(cluster, "POST", "/_reindex?refresh=true", {
      source: { index: from, query: { term: { n: 2 } } },
      dest: { index: to },
      script: { source: "ctx._source.n += 40" },
    });
    assert.is(copied.status, 200, JSON.stringify(copied.body));
    const found = await search(cluster, to, { query: { match_all: {} } });
    assert.equal(
      found.map((hit) => hit._source),
      [{ n: 42 }],
    );

    const query = { query: { range: { n: { gte: 2 } } } };
    const removed = await request<{ deleted: number }>(
      cluster,
      "POST",
      `/${from}/_delete_by_query?refresh=true`,
      query,
    );
    assert.is(removed.body.deleted, 1, JSON.stringify(removed.body));
    assert.is((await search(cluster, from, {})).length, 1);
    await request(cluster, "DELETE", `/${from},${to}`);
  });

  test(`${cluster.version}: runs a search template`, async () => {
    const index = uniqueIndex("template");
    await request(cluster, "PUT", `/${index}/_doc/1?refresh=true`, { title: "sea wolf" });
    const found = await request<Hits>(cluster, "POST", `/${index}/_search/template`, {
      source: '{"query": {"match": {"title": "{{words}}"}}, "size": {{#toJson}}size{{/toJson}}}',
      params: { words: "wolf", size: 5 },
    });
    assert.is(found.status, 200, JSON.stringify(found.body));
    assert.is(found.body.hits.hits[0]?._id, "1");
    await request(cluster, "DELETE", `/${index}`);
  });

  test(`${cluster.version}: rates a ranking with _rank_eval`, async () => {
    const index = uniqueIndex("rated");
    await request(cluster, "PUT", `/${index}/_doc/1?refresh=true`, { title: "sea wolf" });
    const rated = await request<{ metric_score: number }>(cluster, "POST", `/${index}/_rank_eval`, {
      requests: [
        {
          id: "wolf",
          request: { query: { match: { title: "wolf" } } },
          ratings: [{ _index: index, _id: "1", rating: 1 }],
        },
      ],
      metric: { precision: { k: 1 } },
    });
    assert.is(rated.body.metric_score, 1, JSON.stringify(rated.body));
    await request(cluster, "DELETE", `/${index}`);
  });

  test(`${cluster.version}: runs an ingest pipeline`, async () => {
    const index = uniqueIndex("ingested");
    const pipeline = {
      processors: [
        { set: { field: "source", value: "shop" } },
        { grok: { field: "line", patterns: ["%{WORD:verb} %{NUMBER:count:int}"] } },
        { dissect: { field: "line", pattern: "%{first} %{}" } },
      ],
    };
    const made = await request(cluster, "PUT", `/_ingest/pipeline/${index}`, pipeline);
    assert.is(made.status, 200, JSON.stringify(made.body));
    await request(cluster, "PUT", `/${index}/_doc/1?refresh=true&pipeline=${index}`, { line: "sold 3" });

    const [hit] = await search(cluster, index, {});
    assert.equal(hit?._source, { line: "sold 3", source: "shop", verb: "sold", count: 3, first: "sold" });
    await request(cluster, "DELETE", `/_ingest/pipeline/${index}`);
    await request(cluster, "DELETE", `/${index}`);
  });

  test(`${cluster.version}: joins parents and children, percolates, and aggregates by place`, async () => {
    const index = uniqueIndex("joined");
    const properties = {
      relation: { type: "join", relations: { book: "review" } },
      alert: { type: "percolator" },
      text: { type: "text" },
      place: { type: "geo_point" },
      x: { type: "double" },
    };
    const made = await request(cluster, "PUT", `/${index}`, { mappings: { properties } });
    assert.is(made.status, 200, JSON.stringify(made.body));
    const put = (id: string, doc: object) =>
      request(cluster, "PUT", `/${index}/_doc/${id}?routing=1&refresh=true`, doc);
    await put("book", { relation: "book", place: { lat: 52.5, lon: 13.4 }, x: 1 });
    await put("review", { relation: { name: "review", parent: "book" }, text: "grim" });
    await put("alert", { alert: { match: { text: "wolf" } } });
    const ids = async (query: object) => (await search(cluster, index, { query })).map((hit) => hit._id);

    assert.equal(await ids({ has_child: { type: "review", query: { match: { text: "grim" } } } }), ["book"]);
    assert.equal(await ids({ percolate: { field: "alert", document: { text: "a wolf" } } }), ["alert"]);
    const answer = await request<{ aggregations: unknown }>(cluster, "POST", `/${index}/_search`, {
      size: 0,
      aggs: {
        tiles: { geotile_grid: { field: "place", precision: 1 } },
        stats: { matrix_stats: { fields: ["x"] } },
      },
    });
    assert.match(JSON.stringify(answer.body.aggregations), '"tiles":{"buckets":[{"key":"1/1/0","doc_count":1}]}');
    assert.match(JSON.stringify(answer.body.aggregations), '"stats":{"doc_count":1');
    await request(cluster, "DELETE", `/${index}`);
  });
}

test.run();
