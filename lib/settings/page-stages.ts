import * as v from "valibot";
import { Boost } from "./boost.ts";
import { flag, integer, list, section, text } from "./kinds.ts";
import { Field, Locale } from "./names.ts";
import { RERANK_MODEL } from "./rerank-models.ts";
import { RerankCandidates, RerankMinScore, VarietySection } from "./stage-values.ts";

/** The path of a file of synonyms inside the configuration folder. */
export const SYNONYM_FILE = /^(?!.*(?:^|\/)\.)(?:[\w.-]+\/){0,5}[\w.-]+\.(?:txt|csv)$/;

/** `synonyms` of an index: its files. */
const SynonymsSection = section(
  {
    files: list(
      section(
        {
          file: text(
            SYNONYM_FILE,
            "the path of a file in this folder that ends in .txt (Solr's format) or .csv",
            "File of synonyms, such as `synonyms/books.en.txt`.",
          ),
          locale: v.optional(Locale("Language of the file. Without one it serves every search.")),
        },
        "One file.",
      ),
      "Files of synonyms, of which each search uses those of its locale and those without one.",
      { min: 1, max: 50 },
    ),
    default_locale: v.optional(Locale("Language of searches that name no `locale`.")),
  },
  "Searches of this index, plain and hybrid, search words by their synonyms as well. `relevance synonyms apply` changes them without a deployment.",
);

/** `rerank` of an index: which model orders the best hits. */
const RerankSection = section(
  {
    model: text(
      RERANK_MODEL,
      "reranker, or the id of a reranker of Cohere or Amazon on Bedrock, such as cohere.rerank-v3-5:0",
      "What reads query and hits: `reranker`, the section of model.yaml, or a model on Bedrock, or its inference profile.",
    ),
    fields: list(Field("A field."), "Fields whose text it reads, joined by newlines in this order.", {
      min: 1,
      max: 20,
    }),
    candidates: v.optional(RerankCandidates, 50),
    timeout_ms: v.optional(
      integer(50, 20_000, "Milliseconds that it may take; then the order before it stays."),
      1_000,
    ),
    min_score: v.optional(RerankMinScore),
    batch_size: v.optional(
      integer(
        1,
        100,
        "Hits of one call; calls run at once. Default: 32 for an endpoint, whose server takes no more unless told to, 100 on Bedrock.",
      ),
    ),
    by_default: v.optional(
      flag("Whether searches are reranked without asking; `false`: only those with `rerank` in the request."),
      true,
    ),
  },
  "Orders the best hits of this index by a model that reads them with the query, in plain and hybrid searches; a request's own `rerank` wins.",
);

/** Stage settings in an entry of hybrid_search.yaml, by member. */
export const stageSections = {
  variety: v.optional(VarietySection),
  boost: v.optional(Boost),
  synonyms: v.optional(SynonymsSection),
  rerank: v.optional(RerankSection),
};
export type StageMember = keyof typeof stageSections;
