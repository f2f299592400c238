import { SUGGESTION_SOURCES, type SuggestionSource } from "../../platform/contract/search.ts";
import type { LoggingSettings } from "../../platform/request-log/settings.ts";
import type { SuggestSettings } from "../gateway/settings.ts";

/** Returns why the request log cannot show how many users searched for a text; undefined if it can. */
export function titlesAloneBecause({
  user_id,
  query_text,
}: Pick<LoggingSettings, "user_id" | "query_text">): string | undefined {
  if (!query_text) return "the request log has no texts: logging.query_text is false in api.yaml";
  if (user_id === "none") return "the request log has no user ids: logging.user_id is none in api.yaml";
  return undefined;
}

/** Returns the sources of an index's suggestions. */
export const suggestedFrom = (
  suggest: SuggestSettings,
  logging: Pick<LoggingSettings, "user_id" | "query_text">,
): SuggestionSource[] =>
  SUGGESTION_SOURCES.filter(
    (source) => suggest[source] !== undefined && (source === "titles" || titlesAloneBecause(logging) === undefined),
  );
