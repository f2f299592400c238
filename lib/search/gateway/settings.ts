import * as v from "valibot";
import { MODEL_NAMES } from "../../config/embedding-models.ts";
import {
  COMBINATIONS,
  EXPERIMENT_KINDS,
  NO_HITS,
  NORMALIZATIONS,
  ON_EMBEDDING_FAILURE,
} from "../../core/contract/search.ts";
import { accessEntries } from "../../core/http/access.ts";
import { Parameter } from "../../core/json/parameters.ts";
import { LoggingSettings } from "../../core/request-log/settings.ts";
import { ModelSettings } from "../embeddings/embedder.ts";

const HybridSettings = v.object({
  weights: v.optional(v.array(v.number())),
  normalization: v.picklist(NORMALIZATIONS),
  combination: v.picklist(COMBINATIONS),
});

/** What a stage reads of the hits, and how it moves them. */
const VarietySettings = v.object({
  groups: v.optional(v.object({ field: v.string(), max: v.number() })),
  similarity: v.optional(v.object({ field: v.string(), weight: v.number() })),
});

/** Lists of synonyms, by their paths in the configuration folder, and the locale of requests that name none. */
const SynonymSettings = v.object({
  files: v.array(v.object({ file: v.string(), locale: v.optional(v.string()) })),
  default_locale: v.optional(v.string()),
});

/** Which model reads what of the best hits, and how it orders them. */
const RerankSettings = v.object({
  /** Id at Bedrock, or `reranker` for `reranker_endpoint`. */
  model: v.string(),
  fields: v.array(v.string()),
  candidates: v.number(),
  timeout_ms: v.number(),
  min_score: v.optional(v.number()),
  batch_size: v.optional(v.number()),
  /** Whether a search is reranked without asking. */
  by_default: v.boolean(),
});

/** What is suggested for an index as somebody types. */
export const SuggestSettings = v.object({
  /** The field whose text is suggested, and the native query that its documents match. */
  titles: v.optional(v.object({ field: v.string(), filter: v.optional(v.looseObject({})) })),
  /** Texts that enough users of the last days searched for. */
  searches: v.optional(v.object({ days: v.number(), min_users: v.number(), half_life_days: v.number() })),
  /** Words and phrases that no suggestion holds. */
  never: v.array(v.string()),
  /** What becomes of a search without hits. If undefined, nothing. */
  no_hits: v.optional(v.picklist(NO_HITS)),
});
export type SuggestSettings = v.InferOutput<typeof SuggestSettings>;

/**
 * What `api-router` reads at start from `config.json` beside its bundle: the part of the configuration that is too
 * long for environment variables (4 KB in all). The build writes it from the YAML files with every default filled in.
 */
export const GatewaySettings = v.object({
  /** project_name; `application` of the request log. */
  project: v.string(),
  max_bulk_bytes: v.number(),
  indexes: v.array(
    v.object({
      /** Name, or prefix followed by `*`. */
      index: v.string(),
      embedding_mappings: v.array(
        v.object({
          embedding_field: v.string(),
          model_name: v.picklist(MODEL_NAMES),
          src_fields: v.array(v.string()),
          /** How long texts are split into passages; absent: not at all. */
          chunking: v.optional(v.object({ tokens: v.number(), overlap: v.number(), max_passages: v.number() })),
        }),
      ),
      on_embedding_failure: v.object({
        write: v.picklist(ON_EMBEDDING_FAILURE),
        query: v.picklist(ON_EMBEDDING_FAILURE),
      }),
      /** Candidates that each subquery of a hybrid query retrieves. */
      candidates: v.number(),
      /** What a hybrid search uses in place of settings that its request lacks. */
      settings: HybridSettings,
      /** Moves similar hits apart, in searches of both kinds. */
      variety: v.optional(VarietySettings),
      /** Searches by synonyms as well, in searches of both kinds. */
      synonyms: v.optional(SynonymSettings),
      /** Orders the best hits by a model, in searches of both kinds. */
      rerank: v.optional(RerankSettings),
      /** What is suggested as somebody types. */
      suggest: v.optional(SuggestSettings),
    }),
  ),
  /** Searches that requests call by name: hybrid ones, and plain ones, whose query is not a hybrid query. */
  templates: v.array(
    v.object({
      name: v.string(),
      /** What it finds, for agents. */
      description: v.optional(v.string()),
      search_request_template: v.looseObject({}),
      /** Defaults of its parameters, unless they are declared. */
      params: v.looseObject({}),
      /** Declarations of all its parameters. If undefined, a value may be anything. */
      parameters: v.optional(v.array(Parameter)),
    }),
  ),
  /** Hybrid searches of which users get different variants. */
  experiments: v.array(
    v.object({
      name: v.string(),
      kind: v.optional(v.picklist(EXPERIMENT_KINDS)),
      /** Name, or prefix followed by `*`. */
      index: v.string(),
      variants: v.array(
        v.object({
          name: v.string(),
          share: v.number(),
          template: v.optional(v.string()),
          settings: v.partial(HybridSettings),
        }),
      ),
    }),
  ),
  /** Whether searches are changed by the rules of the document in the bucket. */
  has_rules: v.optional(v.boolean()),
  models: v.array(ModelSettings),
  /** Endpoint of SageMaker with the reranker of model.yaml; absent if no index uses it. */
  reranker_endpoint: v.optional(v.string()),
  /** Rules `METHOD pattern`, or `recommended` for the recommended ones. */
  raw_backend_deny: v.union([v.literal("recommended"), v.array(v.string())]),
  ...accessEntries,
  personalized_ranking: v.optional(
    v.object({
      campaign_arn: v.string(),
      filter_arn: v.optional(v.string()),
      weight: v.number(),
      window: v.number(),
      timeout_ms: v.number(),
      item_id_field: v.string(),
    }),
  ),
  logging: LoggingSettings,
  cors: v.optional(v.object({ allow_origins: v.array(v.string()) })),
});
export type GatewaySettings = v.InferOutput<typeof GatewaySettings>;

/** What `search-events` reads at start from `config.json` beside its bundle. */
export const EventsSettings = v.pick(GatewaySettings, ["project", "logging", "keys", "authorization", "cors"]);
export type EventsSettings = v.InferOutput<typeof EventsSettings>;

export type IndexSettings = GatewaySettings["indexes"][number];
/** An experiment on hybrid searches. */
export type Experiment = GatewaySettings["experiments"][number];
export type EmbeddingMapping = IndexSettings["embedding_mappings"][number];
