import type { Names } from "../platform/naming/names.ts";
import type { LoggingSettings } from "../platform/request-log/settings.ts";
import type { Configuration } from "./configuration.ts";

/** Returns `logging` of api.yaml as functions read it. */
export function loggingSettings(
  { api: { logging } }: Pick<Configuration, "api">,
  names: Pick<Names, "userIdKeyParameter">,
): LoggingSettings {
  return {
    user_id: logging.user_id,
    query_text: logging.query_text,
    ...(logging.user_id === "hmac" && { hmac_secret_name: names.userIdKeyParameter() }),
  };
}
