import * as assert from "uvu/assert";
import { SchemaError } from "../../../../lib/search/index/index-description.ts";
import { type HybridEntry, semanticSchema } from "../../../../lib/search/index/semantic-schema.ts";
import { suite } from "../../../suite.ts";

const test = suite("semantic index schema");

type Mapping = HybridEntry["embedding_mappings"][number];

/** An entry for books-v2 with embeddings of the title, unless a mapping says otherwise. */
const entry = (...mappings: Array<Omit<Mapping, "src_fields"> & Partial<Mapping>>): HybridEntry[] => [
  { index: "books-v2", embedding_mappings: mappings.map((one) => ({ src_fields: ["title"], ...one })) },
];
const DENSE = { model_name: "dense_large_en_v1_5" } as const;
const SPARSE = { model_name: "sparse_v3" } as const;

const entries = entry({ embedding_field: "title_dense", ...DENSE }, { embedding_field: "title_sparse", ...SPARSE }).map(
  (one) => ({ ...one, index: "books*" }),
);

/** `GET /t1` of OpenSearch 3.6.0, with the entries that 2.19.6 has as well. */
const fromCluster = {
  books: {
    aliases: { "all-books": {} },
    mappings: { properties: { title: { type: "text" } } },
    settings: {
      index: {
        replication: { type: "DOCUMENT" },
        number_of_shards: "1",
        "knn.derived_source": { enabled: "true" },
        provided_name: "books",
        merge: { policy: { floor_segment: "2mb", max_merge_at_once: "10" } },
        creation_date: "1763740000000",
        number_of_replicas: "0",
        uuid: "Zk1cXv2vS2yIxN5N0wJ9Xw",
        version: { created: "137287827" },
      },
    },
  },
};

const dense = {
  type: "knn_vector",
  dimension: 1024,
  method: { engine: "lucene", name: "hnsw", parameters: {}, space_type: "cosinesimil" },
};

function generate(base: unknown, of = entries, index = "books-v2") {
  return semanticSchema({ entries: of, models: {}, index, base, source: "books.json" });
}

function reasonOf(base: unknown, of = entries, index = "books-v2"): string {
  try {
    generate(base, of, index);
    return "";
  } catch (error) {
    assert.instance(error, SchemaError);
    return error instanceof Error ? error.message : "";
  }
}

const withTitle = (more: object) => ({ mappings: { properties: { title: { type: "text" }, ...more } } });
const from = (...src_fields: string[]) => entry({ embedding_field: "v", ...SPARSE, src_fields });

test("extends the answer of a cluster, without the settings that a cluster adds itself", () => {
  assert.equal(generate(fromCluster), {
    schema: {
      settings: { index: { number_of_shards: 1, number_of_replicas: 0, knn: true } },
      mappings: {
        properties: { title: { type: "text" }, title_dense: dense, title_sparse: { type: "rank_features" } },
        _meta: {
          relevance: {
            entry: "books*",
            embeddings: {
              title_dense: {
                model: "dense_large_en_v1_5",
                revision: "d4aa6901d3a41ba39fb536a557fa166f842b0e09",
                dimension: 1024,
                src_fields: ["title"],
              },
              title_sparse: {
                model: "sparse_v3",
                revision: "babf71f3c48695e2e53a978208e8aba48335e3c0",
                src_fields: ["title"],
              },
            },
          },
        },
      },
      aliases: { "all-books": {} },
    },
    leftOut: [],
  });
});

test("extends a body for creating an index, flat settings included", () => {
  const base = { settings: { "index.number_of_shards": 3, number_of_replicas: 1 }, ...withTitle({}) };
  assert.equal(generate(base).schema.settings, { index: { number_of_shards: 3, number_of_replicas: 1, knn: true } });
  // The cluster writes numbers as text. What only ends with digits is no number.
  const sizes = { settings: { number_of_shards: "3", number_of_replicas: "v1" }, ...withTitle({}) };
  assert.equal(generate(sizes).schema.settings, {
    index: { number_of_shards: 3, number_of_replicas: "v1", knn: true },
  });
});

test("keeps what the mappings refer to by name, and the rest of the mappings", () => {
  const analysis = { analyzer: { folding: { tokenizer: "standard", filter: ["asciifolding"] } } };
  const base = {
    settings: { index: { analysis } },
    mappings: { dynamic: "strict", properties: { title: { type: "text", analyzer: "folding" } } },
  };
  const { schema } = generate(base);
  assert.equal(schema.settings.index.analysis, analysis);
  assert.is(schema.mappings.dynamic, "strict");
});

test("lists the user's settings that it leaves out", () => {
  const base = { settings: { index: { refresh_interval: "30s", uuid: "x" } }, ...withTitle({}) };
  assert.equal(generate(base).leftOut, ["index.refresh_interval"]);
});

test("changes neither its input nor its own output when applied again", () => {
  const before = structuredClone(fromCluster);
  const once = generate(fromCluster).schema;
  assert.equal(fromCluster, before);
  assert.equal(generate(once).schema, once);
});

test("keeps an equal embedding field that exists already, even without the cluster's defaults", () => {
  const { parameters: _, ...method } = dense.method;
  const base = withTitle({ title_dense: { ...dense, method }, title_sparse: { type: "rank_features" } });
  assert.equal(generate(base).schema.mappings.properties, generate(withTitle({})).schema.mappings.properties);
});

test("refuses all embedding fields of another type or dimension at once", () => {
  const base = withTitle({ title_dense: { ...dense, dimension: 384 }, title_sparse: { type: "text" } });
  assert.is(
    reasonOf(base),
    [
      'books.json has the field "title_dense" already, as knn_vector (dimension 384, lucene hnsw cosinesimil), and dense_large_en_v1_5 needs knn_vector (dimension 1024, lucene hnsw cosinesimil): remove it from the base schema, or give embedding_field another name',
      'books.json has the field "title_sparse" already, as text, and sparse_v3 needs rank_features: remove it from the base schema, or give embedding_field another name',
    ].join("\n"),
  );
});

test("refuses an embedding field of another engine", () => {
  const faiss = { ...dense, method: { ...dense.method, engine: "faiss" } };
  assert.match(reasonOf(withTitle({ title_dense: faiss })), /faiss hnsw cosinesimil.*needs.*lucene/);
});

test("an index without an entry is refused with a list of the entries", () => {
  assert.is(
    reasonOf(fromCluster, entries, "music"),
    'hybrid_search.yaml has no entry for the index "music": it has books*',
  );
  assert.is(reasonOf(fromCluster, [], "music"), 'hybrid_search.yaml has no entry for the index "music": it has none');
});

test("a source field that the schema lacks is named", () => {
  assert.is(
    reasonOf(withTitle({}), from("titel")),
    'books.json has no field "titel", a source of "v": add it to mappings.properties, or change src_fields in hybrid_search.yaml',
  );
});

test("a dotted path is followed through objects", () => {
  const author = { properties: { name: { type: "text" } } };
  assert.is(reasonOf(withTitle({ author }), from("author.name")), "");
  assert.match(reasonOf(withTitle({ author }), from("author.born")), /has no field "author.born"/);
  assert.is(reasonOf(withTitle({ "author.name": { type: "text" } }), from("author.name")), "");
});

test("a dotted embedding field is added inside existing or new objects", () => {
  const nested = entry({ embedding_field: "passages.v", ...DENSE }, { embedding_field: "passages.more.w", ...SPARSE });
  const more = { properties: { w: { type: "rank_features" } } };
  const { properties } = generate(withTitle({}), nested).schema.mappings;
  assert.equal(properties, { title: { type: "text" }, passages: { properties: { v: dense, more } } });

  const passages = { type: "nested", properties: { text: { type: "text" } } };
  assert.equal(generate(withTitle({ passages }), nested).schema.mappings.properties, {
    title: { type: "text" },
    passages: { type: "nested", properties: { text: { type: "text" }, v: dense, more } },
  });
  assert.equal(
    generate(withTitle({ passages: { properties: { v: dense, more } } }), nested).schema.mappings.properties,
    properties,
  );
  const taken = (passages: object) => reasonOf(withTitle({ passages }), nested);
  assert.match(taken({ properties: { v: { type: "float" } } }), 'has the field "passages.v" already, as float');
  assert.is(
    taken({ properties: { more: { type: "text" } } }),
    'books.json has the field "passages.more" as text, so it cannot hold the embedding field "passages.more.w"',
  );
});

test("a multi-field is refused as a source, since documents do not hold it", () => {
  const author = { properties: { name: { type: "text", fields: { raw: { type: "keyword" } } } } };
  assert.is(
    reasonOf(withTitle({ author }), from("author.name.raw")),
    '"author.name.raw", a source of "v", is a multi-field: documents hold "author.name", so name that in src_fields',
  );
});

for (const [what, base, reason] of [
  ["a list", [], /holds no JSON object$/],
  ["a text", "x", /holds no JSON object$/],
  ["an empty object", {}, /needs "mappings"/],
  ["another object", { took: 3, hits: {} }, /needs "mappings"/],
  [
    "the answer for an unknown index",
    { error: { type: "index_not_found_exception" }, status: 404 },
    /holds an error of the cluster.*index_not_found/,
  ],
  ["two indices", { a: { mappings: {} }, b: { mappings: {} } }, /describes 2 indices \(a, b\): give one$/],
  ["mappings that are not an object", { mappings: [] }, /"mappings" is not an object$/],
] as const) {
  test(`${what} is not an index description`, () => {
    assert.match(reasonOf(base), reason);
  });
}

test("hosted models have vector fields of their dimension", () => {
  const hosted = entry({ embedding_field: "v", model_name: "ext_embed_multilingual_v3" });
  assert.equal(generate(withTitle({}), hosted).schema.mappings.properties, { title: { type: "text" }, v: dense });
});

test("an embedding field is stored as the configuration says", () => {
  const of = (vectors: "byte" | "sparse_vector", model: Pick<Mapping, "model_name">) =>
    entry({ embedding_field: "v", ...model, vectors });
  const bytes = generate(withTitle({}), of("byte", DENSE)).schema;
  const { properties } = bytes.mappings as { properties: Record<string, object> };
  assert.equal(properties.v, { ...dense, data_type: "byte" });
  assert.equal(bytes.settings.index, { knn: true });
  const sparse = generate(withTitle({}), of("sparse_vector", SPARSE)).schema;
  assert.equal(sparse.settings.index, { knn: false, sparse: true });
  // A field that is there already, as the cluster describes it.
  const there = { ...dense, data_type: "BYTE" };
  assert.is(reasonOf(withTitle({ v: there }), of("byte", DENSE)), "");
  assert.match(reasonOf(withTitle({ v: dense }), of("byte", DENSE)), "dimension 1024, byte, lucene");
});

test("a dense field with chunking holds passages, and a sparse one stays as it is", () => {
  const chunking = { tokens: 200, overlap: 20, max_passages: 5 };
  const long = entry(
    { embedding_field: "v", ...DENSE, vectors: "byte", chunking },
    { embedding_field: "s", ...SPARSE, chunking },
  );
  const { mappings } = generate(withTitle({}), long).schema;
  const stored = { index: false, doc_values: false };
  assert.equal(mappings.properties, {
    title: { type: "text" },
    v: {
      type: "nested",
      properties: {
        vector: { ...dense, data_type: "byte" },
        start: { type: "integer", ...stored },
        end: { type: "integer", ...stored },
        hash: { type: "keyword", ...stored },
      },
    },
    s: { type: "rank_features" },
  });
});

test.run();
