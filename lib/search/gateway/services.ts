import type { PersonalRanker } from "../../personalize/ranking/blend.ts";
import type { CurrentDocument } from "../../platform/aws/versioned-documents.ts";
import type { RuleSet } from "../../platform/contract/search.ts";
import type { ApiOptions } from "../../platform/http/middleware.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { Embedder, EmbedderName } from "../embeddings/embedder.ts";
import type { Capabilities } from "../opensearch/capabilities.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import type { IndexCatalog } from "../opensearch/index-catalog.ts";
import type { Reranker } from "../rerank/reranker.ts";
import type { RuleBook } from "../rules/book.ts";
import type { SynonymReader } from "../synonyms/document.ts";
import type { GatewaySettings } from "./settings.ts";

/** Reads a document of rules as an index for lookups. */
export type RuleReader = (set: Exclude<RuleSet, "none">, deadline: Deadline) => Promise<CurrentDocument<RuleBook>>;

/** Services and settings of the gateway's endpoints. */
export interface GatewayServices {
  settings: GatewaySettings;
  api: ApiOptions;
  cluster: Cluster;
  catalog: IndexCatalog;
  capabilities: (deadline: Deadline) => Promise<Capabilities>;
  /** Returns the embedder of a model of the settings. Its client and files are loaded on first use. */
  embedder: (model: EmbedderName) => Promise<Embedder>;
  /** Returns a reranker of the settings by its model. Its client is loaded on first use. */
  reranker: (model: string) => Promise<Reranker>;
  /** Returns the ranker for users, loaded on first use; undefined if no campaign is configured. */
  ranker: () => Promise<PersonalRanker | undefined>;
  /** Returns the rules in use, or those of a draft; undefined if rules.yaml has none. Rejects if they could never be read. */
  rules?: RuleReader;
  /** Returns the synonyms in use. Not called for indexes without any. */
  synonyms: SynonymReader;
  /** Returns the key for hashing user ids; undefined if they are not hashed or the key cannot be read. */
  userIdKey: () => Promise<string | undefined>;
  /** Writes one request log line to the function's log. */
  logRequest: (line: string) => void;
}
