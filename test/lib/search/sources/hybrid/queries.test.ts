import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../../lib/platform/resilience/deadline.ts";
import { stopwatch } from "../../../../../lib/search/run/reply.ts";
import { leftWeights, runnableQueries } from "../../../../../lib/search/sources/hybrid/queries.ts";
import type { HybridTarget } from "../../../../../lib/search/sources/hybrid/target.ts";
import { readTemplate } from "../../../../../lib/search/sources/hybrid/template.ts";
import { suite } from "../../../../suite.ts";

const test = suite("lib/search/sources/hybrid/queries");

test("weights of the remaining subqueries are scaled to sum to 1", () => {
  assert.equal(leftWeights([0.5, 0.25, 0.25], [1, 2]), { weights: [0.5, 0.5], change: "scaled" });
});

test("remaining weights become equal when all of them are 0", () => {
  assert.equal(leftWeights([0, 0, 1], [0, 1]), { weights: [0.5, 0.5], change: "equal" });
});

test("weights stay unchanged when every subquery remains, and missing weights stay missing", () => {
  assert.equal(leftWeights([0.1, 0.9], [0, 1]), { weights: [0.1, 0.9], change: "none" });
  assert.equal(leftWeights(null, [0]), { weights: null, change: "none" });
});

const MODELS = ["dense_large_en_v1_5", "sparse_v3", "ext_embed_english_v3"] as const;

const FIELDS = new Map(MODELS.map((model, at) => [["a", "b", "c"][at] ?? "", model]));

test("only the models of fields that a subquery uses embed the query, each subquery's whether or not others need it", async () => {
  const asked: string[] = [];
  const embedder = async (model: string) => {
    asked.push(model);
    return { embedQuery: async () => ({ kind: "dense", vector: [1, 2] }) };
  };
  const target = {
    embedding_mappings: [...FIELDS].map(([embedding_field, model_name]) => ({
      embedding_field,
      model_name,
      src_fields: ["t"],
    })),
    onFailure: "fail",
    embedders: FIELDS,
    incompatible: new Map(),
    passages: new Set(),
    can: { hybrid: true },
  } as unknown as HybridTarget;
  const knn = (field: string) => ({ knn: { [field]: { k: 5, vector: `[${field}]` } } });
  const query = { hybrid: { queries: [{ match: { t: "x" } }, knn("a"), knn("c")] } };
  const { queries, degraded } = await runnableQueries(
    embedder as never,
    { query: "x", weights: null, deadline: deadlineIn(60_000) },
    readTemplate(JSON.stringify({ query }), null),
    target,
    stopwatch(),
  );
  assert.equal([asked.sort(), queries.length, degraded], [[MODELS[0], MODELS[2]], 3, []]);
});

test.run();
