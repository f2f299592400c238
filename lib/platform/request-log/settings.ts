import type { UserIdLogging } from "../contract/search.ts";

/** `logging` of api.yaml as functions read it. */
export interface LoggingSettings {
  user_id: UserIdLogging;
  query_text: boolean;
  /** Name of the secret with the key for hashing user ids; read when the first line is written. */
  hmac_secret_name?: string;
}
