import * as v from "valibot";
import { MODEL_NAMES } from "../../config/embedding-models.ts";
import { findMapping } from "./find-mapping.ts";

/**
 * What `api-router` reads at start from `config.json` beside its bundle: the part of the configuration that is too
 * long for environment variables (4 KB in all). Written by the build from the YAML files, so plain and complete: no
 * defaults here.
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
        }),
      ),
      on_embedding_failure: v.object({
        write: v.picklist(["fail", "degrade"]),
        query: v.picklist(["fail", "degrade"]),
      }),
      /** Candidates of each leg of a hybrid query. */
      candidates: v.number(),
    }),
  ),
  models: v.array(
    v.object({
      name: v.picklist(MODEL_NAMES),
      /** SageMaker endpoint of a self-hosted model. */
      endpoint_name: v.optional(v.string()),
      /** Bedrock model id of a hosted one. */
      model_id: v.optional(v.string()),
      /** Part of the cache key: another revision gives other vectors. */
      revision: v.string(),
      /** Simultaneous calls of one function instance. */
      concurrency: v.number(),
      /** Dense: where it is not the model's own, as with a server of the user's choice in the local stack. */
      dimension: v.optional(v.number()),
      /** Sparse: weights below this part of the largest are left out. */
      prune_ratio: v.optional(v.number()),
    }),
  ),
  /** Rules `METHOD pattern`, or the word for the recommended ones. */
  raw_backend_deny: v.union([v.literal("recommended"), v.array(v.string())]),
  personalized_ranking: v.optional(
    v.object({
      campaign_arn: v.string(),
      weight: v.number(),
      window: v.number(),
      timeout_ms: v.number(),
      item_id_field: v.string(),
    }),
  ),
  logging: v.object({
    user_id: v.picklist(["plain", "hmac", "none"]),
    query_text: v.boolean(),
    /** Secret that holds the key of the HMAC of user ids; read when the first line is written. */
    hmac_secret_arn: v.optional(v.string()),
  }),
  cors: v.optional(v.object({ allow_origins: v.array(v.string()) })),
});
export type GatewaySettings = v.InferOutput<typeof GatewaySettings>;
export type IndexSettings = GatewaySettings["indexes"][number];
export type EmbeddingMapping = IndexSettings["embedding_mappings"][number];

/** The settings of an index: an exact entry beats the longest prefix. */
export const settingsOf = (settings: Pick<GatewaySettings, "indexes">, index: string): IndexSettings | undefined =>
  findMapping(settings.indexes, index);
