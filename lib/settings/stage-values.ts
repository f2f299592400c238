/** Settings of page stages that both an entry of hybrid_search.yaml and a request may have. */
import * as v from "valibot";
import { MAX_RERANKED } from "../platform/contract/search.ts";
import { objectSchema } from "../platform/http/validate.ts";
import { integer, numeric, section } from "./kinds.ts";
import { Field } from "./names.ts";

/** Weight of variety against relevance, unless the entry or the request has one. */
export const SIMILARITY_WEIGHT = 0.3;

/** `variety` of an index: moves similar hits apart. */
export const VarietySection = section(
  {
    groups: v.optional(
      section(
        {
          field: Field("Keyword field whose values are the groups."),
          max: integer(1, 100, "Hits of one group that come before all other groups have theirs."),
        },
        "Limits the hits of a group among the best of a search; the others follow behind.",
      ),
    ),
    similarity: v.optional(
      section(
        {
          field: Field("Keyword field, or dense embedding field of this index, by which hits are similar."),
          weight: v.optional(
            numeric(0, 1, "Weight of variety against relevance; 0 changes nothing."),
            SIMILARITY_WEIGHT,
          ),
        },
        "Orders the best hits by maximal marginal relevance.",
      ),
    ),
  },
  "Moves similar hits apart in searches of this index, plain and hybrid; a request's own `variety` wins.",
);

export const RerankCandidates = integer(1, MAX_RERANKED, "Best hits that the model reads.");
export const RerankMinScore = numeric(
  -1_000,
  1_000,
  "Hits below this score follow behind the others, in the order before. Default: none.",
);

const { groups, similarity } = VarietySection.entries;
const { field, weight } = similarity.wrapped.entries;

export const VarietyGroups = groups.wrapped;

export const VarietySimilarity = v.strictObject({ field, weight: v.nullish(weight.wrapped) });

/** How a request wants its hits to vary; nothing in it means not at all. */
export const Variety = v.strictObject({
  groups: v.nullish(objectSchema(VarietyGroups)),
  similarity: v.nullish(objectSchema(VarietySimilarity)),
});

/** How a request wants its hits to be reranked. What it leaves out is as configured. */
export const Rerank = v.strictObject({
  is_enabled: v.pipe(v.nullish(v.boolean()), v.description("Whether the hits are reranked. Default: true.")),
  candidates: v.nullish(RerankCandidates),
  min_score: v.nullish(RerankMinScore),
});
