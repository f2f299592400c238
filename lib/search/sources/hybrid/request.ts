import * as v from "valibot";
import { objectSchema } from "../../../platform/http/validate.ts";
import { Candidates, Combination, Normalization, Weights } from "../../../settings/fusion-settings.ts";
import type { IndexSettings } from "../../gateway/settings.ts";
import { commonFields, filter, IndexExpression, namedTemplateFields, no_hits } from "../../run/request.ts";

export const HybridSettings = v.strictObject({
  weights: v.pipe(
    v.nullish(Weights, null),
    v.description(
      "One weight for each subquery; they sum to 1. Default: those of the index, if it has one for each subquery, else equal.",
    ),
  ),
  normalization: v.pipe(
    v.nullish(Normalization, null),
    v.description(
      "How the scores of each subquery are normalized. Default: that of the index, else min_max. z_score needs OpenSearch 3.0 and arithmetic_mean.",
    ),
  ),
  combination: v.pipe(
    v.nullish(Combination, null),
    v.description(
      "How the normalized scores of a document are combined. Default: that of the index, else arithmetic_mean. rrf combines ranks, so that " +
        "normalization has no effect; it needs OpenSearch 2.19.",
    ),
  ),
});
export type HybridSettings = v.InferOutput<typeof HybridSettings>;

/** Settings with the defaults of the index filled in. The weights are null if neither request nor index has them. */
export const AppliedHybridSettings = v.strictObject({
  weights: v.nullable(Weights),
  normalization: Normalization,
  combination: Combination,
});
export type AppliedHybridSettings = v.InferOutput<typeof AppliedHybridSettings>;

/** A native search body with one hybrid query. Its content is checked after parsing, when the text is available. */
export const HybridTemplate = v.pipe(
  v.looseObject({}),
  v.description(
    "A native search body whose query is one hybrid query. A token such as [description_dense] is replaced with the " +
      "embedding of `search_query`. The cluster checks the rest and answers 422 when it refuses it.",
  ),
);

/** Members that requests with a template and requests with a named template share. */
export const hybridFields = {
  index: IndexExpression,
  search_query: v.pipe(
    v.string(),
    v.check((text) => text.trim() !== "", "must not be empty"),
    v.metadata({ pattern: "\\S" }),
    v.description("The text whose embeddings replace the tokens of the template."),
  ),
  settings: v.nullish(objectSchema(HybridSettings), {}),
  filter,
  no_hits,
  ...commonFields,
};

export const HybridRequest = v.pipe(
  v.strictObject({
    ...hybridFields,
    search_request_template: v.nullish(objectSchema(HybridTemplate), null),
    template: v.nullish(namedTemplateFields.template, null),
    params: namedTemplateFields.params,
  }),
  v.forward(
    v.check(
      ({ search_request_template, template }) => search_request_template !== null || template !== null,
      "is required, unless template names one",
    ),
    ["search_request_template"],
  ),
  v.forward(
    v.check(
      ({ search_request_template, template }) => search_request_template === null || template === null,
      "must not be beside search_request_template",
    ),
    ["template"],
  ),
  v.forward(
    v.check(({ template, params }) => template !== null || params === null, "must only be beside template"),
    ["params"],
  ),
);
export type HybridRequest = v.InferOutput<typeof HybridRequest>;

/** The body of a request for the candidates of a hybrid search. */
export const CandidatesRequest = v.strictObject({
  index: hybridFields.index,
  search_query: hybridFields.search_query,
  search_request_template: objectSchema(HybridTemplate),
  synonyms: hybridFields.synonyms,
  locale: hybridFields.locale,
  depth: v.pipe(
    v.nullish(Candidates, null),
    v.description("Hits of each subquery on each shard. Default: `candidates` of the index."),
  ),
});
export type CandidatesRequest = v.InferOutput<typeof CandidatesRequest>;

/**
 * Returns the settings of a search: the request's, else the index's. The index's weights apply only if there are as
 * many subqueries, and not if the request names another technique.
 */
export function appliedSettings(
  asked: HybridSettings,
  defaults: IndexSettings["settings"],
  subqueries: number,
): AppliedHybridSettings {
  const normalization = asked.normalization ?? defaults.normalization;
  const combination = asked.combination ?? defaults.combination;
  const isDefault = normalization === defaults.normalization && combination === defaults.combination;
  const fitting = isDefault && defaults.weights?.length === subqueries ? defaults.weights : null;
  return { weights: asked.weights ?? fitting, normalization, combination };
}
