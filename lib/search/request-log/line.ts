import type { SearchLogAttribute, SearchLogColumn } from "../../platform/contract/log-columns.ts";
import type { SearchKind } from "../../platform/contract/search.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import {
  cut,
  MAX_ID_CHARACTERS,
  MAX_LOGGED_IDS,
  MAX_REASON_CHARACTERS,
  requestLogType,
} from "../../platform/request-log/kinds.ts";
import { loggedUserId, type UserIdSettings } from "../../platform/request-log/user-ids.ts";
import type { StageEffect } from "../page/stage.ts";

/** The value of `type` in every request log line. */
const REQUEST_LOG_TYPE = requestLogType("search");

/** The value of `type` in every stored event. */
export const SEARCH_EVENT_TYPE = "relevance.event";

/** Name of the metric, by `Project`, that counts valid events that were not stored. An alarm watches it. */
export const UNSTORED_EVENTS = "UnstoredEvents";

/** The longest line in bytes. CloudWatch Logs splits events over 256 KB, which then cannot be parsed. */
export const MAX_LINE_BYTES = 200_000;
/** The most characters kept of the text that the user typed. */
const MAX_TEXT_CHARACTERS = 10_000;

/** Log entry of one search or hybrid search: request, processing, and result. */
export interface RequestLogEntry {
  endpoint: SearchKind;
  /** The index expression as the caller wrote it. */
  index: string;
  /** Name of the caller's API key. */
  key: string;
  /** `sub` of the caller's token, written as user ids are. */
  subject?: string | null | undefined;
  /** Sent to the caller as `x-query-id`. Readers deduplicate by it. */
  queryId: string;
  /** From the header `x-client-id`. */
  clientId: string | null;
  userId: string | null;
  /** The user's text, if the request has one. */
  userQuery: string | null;
  /** The caller's native body with its tokens. */
  query: unknown;
  /** The named template: that of the experiment's variant, else of the request. */
  template?: string | undefined;
  /** Hybrid settings with their defaults; null for search. */
  settings: unknown;
  /** The search's variant in an experiment; for interleaved hits, also the variant of each. */
  experiment?: { name: string; variant: string; teams?: ReadonlyArray<string | null> } | null;
  /** Whether the order was changed for the user. */
  personalized: boolean;
  /** Effect of each stage of the page. */
  stages?: readonly StageEffect[];
  /** Names of the rules that applied. */
  rules?: readonly string[];
  /** Segments of users that the request names. */
  segments?: readonly string[] | null | undefined;
  degraded: readonly Degradation[];
  /** Milliseconds by stage, as in `{"total": 31, "cluster": 24}`. */
  milliseconds: Readonly<Record<string, number>>;
  timestamp: Date;
  /** The field that all hit ids come from: `personalized_ranking.item_id_field`, or `_id` if a hit lacks it. */
  objectIdField: string;
  /** The id of the answer (the request id). */
  responseId: string;
  /** Ids of the hits in the order of the answer. The first 100 are kept. */
  hitIds: readonly string[];
  total: number | null;
}

/** `logging` of api.yaml, and the name of the project. */
export interface RequestLogSettings extends UserIdSettings {
  /** Project name: `application` of the line. */
  application: string;
  /** Whether to write the text and the native body, which repeats the text. */
  queryText: boolean;
}

/**
 * Returns one line of JSON without its line end, at most 200 KB: the fields of the User Behavior Insights query schema
 * (`query` is JSON as text, as there) and `user_id`, `total`, `truncated`. Never throws: logging never fails a request.
 */
export function requestLogLine(entry: RequestLogEntry, settings: RequestLogSettings): string {
  try {
    return fit(entry, settings);
  } catch (error) {
    const { queryId, index } = entry ?? {};
    const reason = error instanceof Error ? error.message : String(error);
    return JSON.stringify({
      type: REQUEST_LOG_TYPE,
      application: settings?.application,
      query_id: cut(queryId, MAX_ID_CHARACTERS),
      query_attributes: { index: cut(index, MAX_ID_CHARACTERS), log_error: cut(reason, MAX_REASON_CHARACTERS) },
      truncated: true,
    });
  }
}

function fit(entry: RequestLogEntry, settings: RequestLogSettings): string {
  const query = settings.queryText ? JSON.stringify(entry.query) : null;
  const hitIds = entry.hitIds.slice(0, MAX_LOGGED_IDS);
  const line = serialize(entry, settings, query, hitIds);
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;

  // Usually the query makes the line this long. 100 ids can too, if JSON escapes most of their characters.
  let ids = hitIds;
  let rest = MAX_LINE_BYTES - Buffer.byteLength(serialize(entry, settings, "", ids, true));
  while (rest < 0) {
    if (ids.length === 0) throw new Error("settings and degraded are longer than a line may be");
    ids = ids.slice(0, Math.floor(ids.length / 2));
    rest = MAX_LINE_BYTES - Buffer.byteLength(serialize(entry, settings, "", ids, true));
  }
  return serialize(entry, settings, query && escapedPrefix(query, rest), ids, true);
}

function serialize(
  entry: RequestLogEntry,
  settings: RequestLogSettings,
  query: string | null,
  hitIds: readonly string[],
  truncated = false,
): string {
  const userQuery = settings.queryText ? entry.userQuery : null;
  const degraded = entry.degraded.map((one) => ({ ...one, reason: cut(one.reason, MAX_REASON_CHARACTERS) }));
  const cutText = (userQuery?.length ?? 0) > MAX_TEXT_CHARACTERS;
  return JSON.stringify({
    type: REQUEST_LOG_TYPE,
    application: settings.application,
    query_id: entry.queryId,
    client_id: cut(entry.clientId, MAX_ID_CHARACTERS),
    user_id: loggedUserId(entry.userId, settings),
    user_query: cut(userQuery, MAX_TEXT_CHARACTERS),
    query,
    query_attributes: {
      index: cut(entry.index, MAX_ID_CHARACTERS),
      endpoint: entry.endpoint,
      key: entry.key,
      subject: loggedUserId(entry.subject ?? null, settings) ?? undefined,
      settings: entry.settings,
      experiment: experimentOf(entry, hitIds.length),
      personalized: entry.personalized,
      degraded,
      milliseconds: entry.milliseconds,
      stages: entry.stages?.length ? entry.stages : undefined,
      rules: entry.rules?.length ? entry.rules : undefined,
      segments: entry.segments?.length ? entry.segments : undefined,
      template: entry.template,
    } satisfies Record<Exclude<SearchLogAttribute, "log_error">, unknown>,
    timestamp: entry.timestamp.toISOString(),
    object_id_field: entry.objectIdField,
    query_response_id: entry.responseId,
    query_response_hit_ids: hitIds.map((id) => cut(id, MAX_ID_CHARACTERS)),
    total: entry.total,
    truncated: truncated || cutText || undefined,
  } satisfies Record<SearchLogColumn, unknown>);
}

/** Returns the experiment with the teams (variants) of the logged hits only. */
function experimentOf({ experiment }: RequestLogEntry, hits: number): RequestLogEntry["experiment"] {
  if (!experiment?.teams) return experiment ?? null;
  return { ...experiment, teams: experiment.teams.slice(0, hits) };
}

/** Returns the longest prefix of a text that takes at most `bytes` bytes as a JSON string without its quotes. */
function escapedPrefix(text: string, bytes: number): string {
  let low = 0;
  let high = Math.min(text.length, bytes);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const size = Buffer.byteLength(JSON.stringify(text.slice(0, middle))) - 2;
    if (size <= bytes) low = middle;
    else high = middle - 1;
  }
  return cut(text.slice(0, low + 1), low);
}
