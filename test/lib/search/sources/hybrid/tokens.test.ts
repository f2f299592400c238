import * as assert from "uvu/assert";
import { parseLossless } from "../../../../../lib/platform/json/values.ts";
import type { Embedding } from "../../../../../lib/search/embeddings/embedder.ts";
import { readSubqueries, replaceTokens } from "../../../../../lib/search/sources/hybrid/tokens.ts";
import { suite } from "../../../../suite.ts";

const test = suite("tokens of subqueries");

const MAPPINGS = [
  { embedding_field: "dense", model_name: "dense_large_en_v1_5" as const, src_fields: ["text"] },
  { embedding_field: "sparse", model_name: "sparse_v3" as const, src_fields: ["text"] },
];

const read = (...queries: unknown[]) => readSubqueries(queries, MAPPINGS, "queries");

const EMBEDDINGS = new Map<string, Embedding>([
  ["dense", { kind: "dense", vector: [0.1, 0.2] }],
  ["sparse", { kind: "sparse", tokens: { salt: 2, "v1.2": 1 } }],
]);

const replace = (query: unknown, queryTokens = true) => replaceTokens(query, { embeddings: EMBEDDINGS, queryTokens });

test("finds the fields that each subquery needs", () => {
  const { subqueries, issues } = read(
    { match: { text: "salt" } },
    { knn: { dense: { vector: "[dense]", k: 5 } } },
    { bool: { should: "[sparse]", filter: [{ term: { genre: "x" } }] } },
  );
  assert.equal(issues, []);
  assert.equal(
    subqueries.map(({ fields }) => [...fields]),
    [[], ["dense"], ["sparse"]],
  );
});

test("an unknown token as the vector is refused with a list of the known tokens", () => {
  assert.equal(read({ knn: { dense: { vector: "[denes]", k: 5 } } }).issues, [
    { path: "queries.0.knn.dense.vector", message: '"[denes]" is not a token; tokens are [dense], [sparse]' },
  ]);
});

test("an unknown token as should is an error, alone and in a list", () => {
  const { issues } = read({ bool: { should: "[nope]" } });
  assert.equal(
    issues.map(({ path }) => path),
    ["queries.0.bool.should"],
  );
  assert.is(read({ bool: { should: [{ match_all: {} }, "[nope]"] } }).issues[0]?.path, "queries.0.bool.should.1");
});

test("a dense token as should and a sparse one as the vector are errors", () => {
  assert.match(read({ bool: { should: "[dense]" } }).issues[0]?.message ?? "", "is a dense embedding");
  assert.match(read({ knn: { dense: { vector: "[sparse]" } } }).issues[0]?.message ?? "", "is a sparse embedding");
});

test("text in brackets is left alone elsewhere, even where it equals a token", () => {
  const queries = [
    { match: { text: "[nope]" } },
    { match: { text: "[dense]" } },
    { match: { text: { query: "[sparse]" } } },
    { multi_match: { query: "[dense]", fields: ["[sparse]"] } },
    { bool: { must: ["[dense]"], filter: [{ terms: { genre: ["[dense]", "[sparse]"] } }] } },
    { term: { vector: "[dense]" } },
    { match: { should: "[sparse]" } },
    { script_score: { script: { source: "[dense]", params: { other: "[dense]" } } } },
  ];
  assert.equal(read(...queries).issues, []);
  assert.equal(
    queries.map((query) => replace(query)),
    queries,
  );
});

test("a dense token becomes the vector of a knn query and the query value of a script", () => {
  assert.equal(replace({ knn: { dense: { vector: "[dense]", k: 5 } } }), {
    knn: { dense: { vector: [0.1, 0.2], k: 5 } },
  });
  const script = (query_value: unknown) => ({ script_score: { script: { lang: "knn", params: { query_value } } } });
  assert.equal(replace(script("[dense]")), script([0.1, 0.2]));
  assert.equal([...(read(script("[dense]")).subqueries[0]?.fields ?? [])], ["dense"]);
});

test("a string that is not a token, such as a binary vector, stays the query value of a script", () => {
  const query = { script_score: { script: { lang: "knn", params: { query_value: "AQID" } } } };
  assert.equal(read(query).issues, []);
  assert.equal(replace(query), query);
});

test("tokens are replaced inside other queries", () => {
  const nested = (vector: unknown) => ({
    bool: { must: [{ nested: { path: "p", query: { knn: { "p.dense": { vector, k: 5 } } } } }] },
  });
  assert.equal(replace(nested("[dense]")), nested([0.1, 0.2]));
});

test("a sparse token becomes one clause that must match, beside the caller's filter", () => {
  assert.equal(replace({ bool: { should: "[sparse]", filter: [{ term: { genre: "x" } }] } }), {
    bool: {
      should: [{ neural_sparse: { sparse: { query_tokens: { salt: 2, "v1.2": 1 } } } }],
      filter: [{ term: { genre: "x" } }],
      minimum_should_match: 1,
    },
  });
});

test("the caller's own minimum_should_match stays", () => {
  const replaced = replace({ bool: { should: ["[sparse]", { match: { text: "a" } }], minimum_should_match: 2 } });
  assert.is((replaced as { bool: { minimum_should_match: number } }).bool.minimum_should_match, 2);
});

test("a bool without a sparse token gets no minimum_should_match", () => {
  const query = { bool: { should: [{ match: { text: "a" } }], filter: [{ term: { genre: "x" } }] } };
  assert.equal(replace(query), query);
});

test("below 2.14 a sparse token becomes rank_feature clauses with linear", () => {
  assert.equal(replace({ bool: { should: "[sparse]" } }, false), {
    bool: {
      should: [
        { rank_feature: { field: "sparse.salt", linear: {}, boost: 2 } },
        { rank_feature: { field: "sparse.v1.2", linear: {}, boost: 1 } },
      ],
      minimum_should_match: 1,
    },
  });
});

test("a query text without a known token matches nothing, since should is never empty", () => {
  const embeddings = new Map<string, Embedding>([["sparse", { kind: "sparse", tokens: {} }]]);
  assert.equal(replaceTokens({ bool: { should: "[sparse]" } }, { embeddings, queryTokens: true }), {
    bool: { should: [{ match_none: {} }], minimum_should_match: 1 },
  });
});

test("a sparse token as query_tokens becomes its weights, and any other string there is an error", () => {
  const wrong = { neural_sparse: { sparse: { query_tokens: "[dense]" } } };
  assert.match(read(wrong).issues[0]?.message ?? "", "[dense] is a dense embedding; query_tokens takes a sparse one");
  assert.is(read({ neural_sparse: { sparse: { query_tokens: "salt" } } }).issues.length, 1);

  assert.equal(replace({ neural_sparse: { sparse: { query_tokens: "[sparse]" } } }), {
    neural_sparse: { sparse: { query_tokens: { salt: 2, "v1.2": 1 } } },
  });
});

test("the caller's numbers keep their notation", () => {
  const query = parseLossless('{"bool":{"must":{"term":{"id":9007199254740993}},"should":"[sparse]"}}');
  assert.match(JSON.stringify(replace(query)), '"id":9007199254740993}');
});

test("a field of bytes gets a vector of bytes, in a knn query and in a script", () => {
  const stored = new Map([["dense", "byte" as const]]);
  const how = { embeddings: EMBEDDINGS, queryTokens: true, stored };
  const query = (vector: unknown) => ({ knn: { dense: { vector, k: 5 } } });
  assert.equal(replaceTokens(query("[dense]"), how), query([64, 127]));
  const script = (query_value: unknown) => ({ script_score: { script: { lang: "knn", params: { query_value } } } });
  assert.equal(replaceTokens(script("[dense]"), how), script([64, 127]));
});

test("candidates of a binary field are scored again, unless the request says how", () => {
  const stored = new Map([["dense", "binary" as const]]);
  const how = { embeddings: EMBEDDINGS, queryTokens: true, stored };
  const query = (vector: unknown, rescore: unknown) => ({
    bool: { must: [{ knn: { dense: { vector, k: 5, rescore } } }, { knn: { other: { vector: [1], k: 5 } } }] },
  });
  const { rescore: _, ...clause } = query("[dense]", undefined).bool.must[0]?.knn.dense ?? {};
  assert.equal(replaceTokens({ knn: { dense: clause } }, how), {
    knn: { dense: { rescore: { oversample_factor: 3 }, vector: [0.1, 0.2], k: 5 } },
  });
  assert.equal(replaceTokens(query("[dense]", false), how), query([0.1, 0.2], false));
});

test.run();
