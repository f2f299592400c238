import type { Embedder } from "../embeddings/embedder.ts";
import type { ModelName } from "../embeddings/models.ts";
import type { ApiOptions } from "../http/middleware.ts";
import type { Capabilities } from "../opensearch/capabilities.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import type { IndexCatalog } from "../opensearch/index-catalog.ts";
import type { Deadline } from "../resilience/deadline.ts";
import type { GatewaySettings } from "./settings.ts";

/** Ranks item ids for a user: the ids in their personal order, `scored` false for those that the model does not know. */
export interface PersonalRanker {
  rank(
    userId: string,
    itemIds: readonly string[],
    timeoutMs: number,
  ): Promise<Array<{ itemId: string; scored: boolean }>>;
}

/** What the gateway's endpoints work with: real clients in the function, the same over stand-ins in tests. */
export interface GatewayServices {
  settings: GatewaySettings;
  api: ApiOptions;
  cluster: Cluster;
  catalog: IndexCatalog;
  capabilities: (deadline: Deadline) => Promise<Capabilities>;
  /** The embedder of a model; its client and files are loaded when first used. */
  embedder: (model: ModelName) => Promise<Embedder>;
  /** Loaded when first used; undefined when no campaign is configured. */
  ranker: () => Promise<PersonalRanker | undefined>;
  /** Key of the HMAC of user ids; undefined where user ids are written plainly or not at all, or it cannot be read. */
  userIdKey: () => Promise<string | undefined>;
  /** Writes one request log line to the function's log. */
  logRequest: (line: string) => void;
}
