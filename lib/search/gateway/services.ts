import type { ModelName } from "../../config/embedding-models.ts";
import type { ApiOptions } from "../../core/http/middleware.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import type { PersonalRanker } from "../../personalize/runtime/ranker.ts";
import type { Embedder } from "../embeddings/embedder.ts";
import type { Capabilities } from "../opensearch/capabilities.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import type { IndexCatalog } from "../opensearch/index-catalog.ts";
import type { GatewaySettings } from "./settings.ts";

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
