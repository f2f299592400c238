import * as v from "valibot";
import { MAX_RERANKED } from "../core/contract/search.ts";
import { flag, integer, list, numeric, section, text } from "./kinds.ts";
import { RERANK_MODEL } from "./rerank-models.ts";

/** Whatever the cluster takes for the name of a field: dotted parts that are not blank, and none of its own fields. */
const SOURCE_FIELD =
  /^(?!_(id|index|source|routing|nested_path|field_names|ignored|seq_no|primary_term|version|data_stream_timestamp)$)\s*[^\s.][^.]*(\.\s*[^\s.][^.]*)*$/;

/** A field of an index. */
export const Field = (description: string) =>
  text(SOURCE_FIELD, "the name of a field, or a dotted path, whose parts are not blank", description);

const Locale = (description: string) =>
  text(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/, "a language tag, such as en or de-AT", description);

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
          weight: v.optional(numeric(0, 1, "Weight of variety against relevance; 0 changes nothing."), 0.3),
        },
        "Orders the best hits by maximal marginal relevance.",
      ),
    ),
  },
  "Moves similar hits apart in searches of this index, plain and hybrid; a request's own `variety` wins.",
);

/** The path of a file of synonyms inside the configuration folder. */
export const SYNONYM_FILE = /^(?!.*(?:^|\/)\.)(?:[\w.-]+\/){0,5}[\w.-]+\.(?:txt|csv)$/;

/** `synonyms` of an index: its files. */
export const SynonymsSection = section(
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
export const RerankSection = section(
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
    candidates: v.optional(
      integer(1, MAX_RERANKED, "Best hits that it reads. A request's `rerank.candidates` wins."),
      50,
    ),
    timeout_ms: v.optional(
      integer(50, 20_000, "Milliseconds that it may take; then the order before it stays."),
      1_000,
    ),
    min_score: v.optional(
      numeric(
        -1_000,
        1_000,
        "Hits below this score follow behind the others, in the order before. A request's `rerank.min_score` wins. Default: none.",
      ),
    ),
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
