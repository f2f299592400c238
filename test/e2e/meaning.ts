import { demoQueries } from "../../packages/demo-data/queries.ts";
import type { Evaluation } from "../../packages/lab/evaluation/evaluate.ts";
import type { JudgedQueries } from "../../packages/lab/evaluation/input.ts";
import { measureSettings } from "../../packages/lab/evaluation/measure-settings.ts";
import type { Setting } from "../../packages/lab/evaluation/settings-file.ts";
import { type GatewayAddress, gatewayAt } from "../../packages/lab/gateway/gateway.ts";
import { metricOf } from "../../packages/lab/metrics/metric.ts";

/** Any of the words: the best search by keywords alone of those that were tried. */
const KEYWORDS = { multi_match: { query: "[search_query]", fields: ["title", "subtitle", "author", "description"] } };
/** All words, as the shop searches. */
const ALL_WORDS = {
  multi_match: {
    query: "[search_query]",
    fields: ["title^3", "author^2", "description"],
    type: "cross_fields",
    operator: "and",
  },
};
const DENSE = { knn: { description_dense: { vector: "[description_dense]", k: 100 } } };
const SPARSE = { bool: { should: "[description_sparse]" } };

/** The settings without those of conf.local/hybrid_search.yaml. */
const EQUAL: Setting["settings"] = { weights: undefined, normalization: "min_max", combination: "arithmetic_mean" };

/** What is compared, the baseline first. The last one has the weights of conf.local/hybrid_search.yaml. */
export const VARIANTS: Readonly<Record<string, { queries: readonly object[]; settings?: Setting["settings"] }>> = {
  keywords: { queries: [KEYWORDS], settings: EQUAL },
  dense: { queries: [DENSE], settings: EQUAL },
  sparse: { queries: [SPARSE], settings: EQUAL },
  "dense and sparse": { queries: [DENSE, SPARSE], settings: EQUAL },
  "keywords and dense": { queries: [KEYWORDS, DENSE], settings: EQUAL },
  "keywords, dense and sparse": { queries: [KEYWORDS, DENSE, SPARSE], settings: EQUAL },
  "all words and dense, tuned": { queries: [ALL_WORDS, DENSE] },
};

/** Measures searches of the demo's books with the demo's judgments. `size` is that of the catalogue and of its queries. */
export function measureMeaning(
  address: GatewayAddress,
  index: string,
  variants = Object.keys(VARIANTS),
  size: Parameters<typeof demoQueries>[0] = {},
): Promise<Evaluation> {
  const queries = demoQueries(size);
  const judged: JudgedQueries = {
    judgments: new Map(queries.map(({ text, grades }) => [text, grades])),
    queries: queries.map(({ text }) => ({ id: text, text, userId: undefined })),
    ...{ origins: {}, check: undefined, warnings: [] },
  };
  const settings = variants.map((name) => {
    const { queries: subqueries = [], settings = {} } = VARIANTS[name] ?? {};
    return { name, settings, template: { size: 10, _source: false, query: { hybrid: { queries: subqueries } } } };
  });
  const metrics = ["ndcg@10"].flatMap((name) => metricOf(name) ?? []);
  const ports = { gateway: gatewayAt(address), note: () => undefined };
  return measureSettings({ file: { index, settings }, judged, metrics, concurrency: 2 }, ports);
}
