import type { AccessSettings } from "../../platform/http/access.ts";
import type { LoggingSettings } from "../../platform/request-log/settings.ts";
import type { Api } from "../../settings/api.ts";
import type {
  HybridSearch,
  HybridQuery as IndexEntry,
  EmbeddingMapping as MappingEntry,
} from "../../settings/hybrid-search.ts";
import type { ModelSettings } from "../embeddings/embedder.ts";

/** An embedding field of an index. The cluster, not the configuration, says how the index stores its vectors. */
export type EmbeddingMapping = Omit<MappingEntry, "vectors">;

/** One entry of `hybrid_queries` in hybrid_search.yaml. */
export type IndexSettings = Omit<IndexEntry, "embedding_mappings"> & { embedding_mappings: EmbeddingMapping[] };

export type SuggestSettings = NonNullable<IndexSettings["suggest"]>;

/** An experiment on hybrid searches. */
export type Experiment = HybridSearch["experiments"][number];

/**
 * Settings that `api-router` reads at start from `config.json` beside its bundle: the part of the configuration that is
 * too long for environment variables (4 KB in all). The build writes it from the YAML files with every default filled
 * in.
 */
export interface GatewaySettings extends AccessSettings {
  /** project_name; `application` of the request log. */
  project: string;
  max_bulk_bytes: number;
  indexes: IndexSettings[];
  templates: HybridSearch["templates"];
  experiments: HybridSearch["experiments"];
  /** Whether searches are changed by the rules of the document in the bucket. */
  has_rules?: boolean | undefined;
  models: ModelSettings[];
  /** Endpoint of SageMaker with the reranker of model.yaml; absent if no index uses it. */
  reranker_endpoint?: string | undefined;
  /** Rules `METHOD pattern`, or `recommended` for the recommended ones. */
  raw_backend_deny: "recommended" | string[];
  /** Absent without a campaign that ranks. */
  personalized_ranking?: (Api["personalized_ranking"] & { campaign_arn: string }) | undefined;
  logging: LoggingSettings;
  cors?: Api["cors"];
}

/** Settings that `search-events` reads at start from `config.json` beside its bundle. */
export type EventsSettings = Pick<GatewaySettings, "project" | "logging" | "keys" | "authorization" | "cors">;
