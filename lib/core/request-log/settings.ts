import * as v from "valibot";
import { USER_ID_LOGGING } from "../contract/search.ts";

/** `logging` of api.yaml as functions read it. */
export const LoggingSettings = v.object({
  user_id: v.picklist(USER_ID_LOGGING),
  query_text: v.boolean(),
  /** Name of the secret with the key for hashing user ids; read when the first line is written. */
  hmac_secret_name: v.optional(v.string()),
});
export type LoggingSettings = v.InferOutput<typeof LoggingSettings>;
