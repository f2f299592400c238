import { createHmac } from "node:crypto";
import type { Degradation } from "../../core/http/degradation.ts";
import { REQUEST_LOG_TYPE } from "./marker.ts";

/** CloudWatch Logs takes events of 256 KB; what is larger is split, and then cannot be parsed. */
export const MAX_LINE_BYTES = 200_000;
/** Hit ids kept of one answer. */
export const MAX_HIT_IDS = 100;
/** Characters kept of a value that the caller chose freely: client, user and object ids. */
const MAX_ID_CHARACTERS = 512;
/** Characters kept of the text that the user typed. */
const MAX_TEXT_CHARACTERS = 10_000;
/** Characters kept of a reason of `degraded`. */
const MAX_REASON_CHARACTERS = 500;

/** What one search or hybrid search was, did and gave. */
export interface RequestLogEntry {
  endpoint: "search" | "hybrid-search";
  /** As the caller named it. */
  index: string;
  /** Also sent to the caller as `x-query-id`; readers deduplicate by it. */
  queryId: string;
  /** From the header `x-client-id`. */
  clientId: string | null;
  userId: string | null;
  /** The text that was searched for, where the request has one. */
  userQuery: string | null;
  /** The caller's native body, tokens kept as tokens. */
  query: unknown;
  /** Hybrid settings with defaults filled in; null for search. */
  settings: unknown;
  /** Whether the order was changed for the user. */
  personalized: boolean;
  degraded: readonly Degradation[];
  /** Milliseconds by stage, as in `{"total": 31, "cluster": 24}`. */
  milliseconds: Readonly<Record<string, number>>;
  timestamp: Date;
  /** The field that all hit ids come from: `personalized_ranking.item_id_field`, or `_id` when a hit lacks it. */
  objectIdField: string;
  /** The id of the answer (the request id). */
  responseId: string;
  /** Ids of the hits in the order of the answer; the first 100 are kept. */
  hitIds: readonly string[];
  total: number | null;
}

/** `logging` of api.yaml, and the name of the project. */
export interface RequestLogSettings {
  /** Project name: `application` of the line. */
  application: string;
  /** `hmac`: HMAC-SHA-256 of the user id in hex, the same for one user as long as the key is. `none`: left out. */
  userId: "plain" | "hmac" | "none";
  /** Without it neither the text nor the native body, which repeats the text, is written. */
  queryText: boolean;
  /** Needed by `hmac`; without it no user id is written. */
  hmacKey?: string | undefined;
}

/**
 * One line of JSON, at most 200 KB, without the line end. Fields of the User Behavior Insights query schema (`query` is
 * JSON as text, as there) and `user_id`, `total`, `truncated`. Never throws: logging never fails a request.
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
  const hitIds = entry.hitIds.slice(0, MAX_HIT_IDS);
  const line = serialize(entry, settings, query, hitIds);
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;

  // Only a query can be this long; 100 ids can when each is full of characters that JSON escapes.
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
  return JSON.stringify({
    type: REQUEST_LOG_TYPE,
    application: settings.application,
    query_id: entry.queryId,
    client_id: cut(entry.clientId, MAX_ID_CHARACTERS),
    user_id: user(entry.userId, settings),
    user_query: cut(userQuery, MAX_TEXT_CHARACTERS),
    query,
    query_attributes: {
      index: cut(entry.index, MAX_ID_CHARACTERS),
      endpoint: entry.endpoint,
      settings: entry.settings,
      personalized: entry.personalized,
      degraded,
      milliseconds: entry.milliseconds,
    },
    timestamp: entry.timestamp.toISOString(),
    object_id_field: entry.objectIdField,
    query_response_id: entry.responseId,
    query_response_hit_ids: hitIds.map((id) => cut(id, MAX_ID_CHARACTERS)),
    total: entry.total,
    ...((truncated || (userQuery?.length ?? 0) > MAX_TEXT_CHARACTERS) && { truncated: true }),
  });
}

function user(id: string | null, settings: RequestLogSettings): string | null {
  if (id === null || settings.userId === "none") return null;
  if (settings.userId === "plain") return cut(id, MAX_ID_CHARACTERS);
  return settings.hmacKey ? createHmac("sha256", settings.hmacKey).update(id).digest("hex") : null;
}

/** The first characters of a text; a surrogate pair is not split. */
function cut<T extends string | null | undefined>(text: T, characters: number): T | string {
  if (typeof text !== "string" || text.length <= characters) return text;
  const end = isHighSurrogate(text.charCodeAt(characters - 1)) ? characters - 1 : characters;
  return text.slice(0, end);
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

/** The longest beginning of a text that takes at most `bytes` bytes as a JSON string, quotes not counted. */
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
