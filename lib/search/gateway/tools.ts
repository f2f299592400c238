import type { PersonalRanker } from "../../personalize/ranking/blend.ts";
import type { ApiOptions } from "../../platform/http/middleware.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { Embedder, EmbedderName } from "../embeddings/embedder.ts";
import type { Capabilities } from "../opensearch/capabilities.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import type { IndexCatalog } from "../opensearch/index-catalog.ts";
import type { Reranker } from "../rerank/reranker.ts";
import type { RuleReader } from "../rules/book.ts";
import type { GatewaySettings, IndexSettings } from "./settings.ts";

/** What resolves index expressions. */
export interface Resolver {
  catalog: IndexCatalog;
  settings: { readonly indexes: readonly IndexSettings[] };
}

/** What sources of hits read and call. */
export interface SourceTools {
  settings: GatewaySettings;
  cluster: Cluster;
  catalog: IndexCatalog;
  capabilities: (deadline: Deadline) => Promise<Capabilities>;
  /** Returns the embedder of a model of the settings. Its client and files are loaded on first use. */
  embedder: (model: EmbedderName) => Promise<Embedder>;
}

/** What stages read and call. */
export interface StageTools {
  settings: Pick<GatewaySettings, "personalized_ranking">;
  cluster: Cluster;
  catalog: IndexCatalog;
  /** Returns a reranker of the settings by its model. Its client is loaded on first use. */
  reranker: (model: string) => Promise<Reranker>;
  /** Returns the ranker for users, loaded on first use; undefined if no campaign is configured. */
  ranker: () => Promise<PersonalRanker | undefined>;
}

/** What reads rules, and the indexes that they are for. */
export interface RuleTools extends Resolver {
  api: Pick<ApiOptions, "log">;
  /** Returns the rules in use, or those of a draft; undefined if rules.yaml has none. Rejects if they could never be read. */
  rules?: RuleReader;
}

/** What writes the log lines of a search. */
export interface SearchLog {
  settings: Pick<GatewaySettings, "project" | "logging" | "personalized_ranking">;
  api: Pick<ApiOptions, "log">;
  /** Returns the key for hashing user ids; undefined if they are not hashed or the key cannot be read. */
  userIdKey: () => Promise<string | undefined>;
  /** Writes one request log line to the function's log. */
  logRequest: (line: string) => void;
}
