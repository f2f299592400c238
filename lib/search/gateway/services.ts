import type { ApiOptions } from "../../platform/http/middleware.ts";
import type { SynonymReader } from "../synonyms/document.ts";
import type { GatewaySettings } from "./settings.ts";
import type { RuleTools, SearchLog, SourceTools, StageTools } from "./tools.ts";

/** Services and settings of the gateway's endpoints. */
export interface GatewayServices extends SourceTools, StageTools, RuleTools, SearchLog {
  settings: GatewaySettings;
  api: ApiOptions;
  /** Returns the synonyms in use. Not called for indexes without any. */
  synonyms: SynonymReader;
}
