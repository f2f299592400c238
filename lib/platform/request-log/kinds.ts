/** Subjects of the lines of a request log. */
export const REQUEST_LOG_KINDS = ["search", "recommendation"] as const;
export type RequestLogKind = (typeof REQUEST_LOG_KINDS)[number];

/** The value of `type` in every request log line of a kind. */
export const requestLogType = (kind: RequestLogKind) => `relevance.${kind}` as const;

/** Returns a subscription's filter pattern: only request log lines of a kind and errors leave the log group. */
export function requestLogFilterPattern(kind: RequestLogKind): string {
  return `{ $.type = "${requestLogType(kind)}" || $.level = "error" }`;
}

/** Name of the metric, by `Project`, that counts unreadable request log lines. An alarm watches it. */
export const UNREADABLE_LINES = "UnreadableRequestLogLines";

/** Returns whether a log line is that of a failed request, of which `level` is the first field. */
export function isErrorLine(line: string): boolean {
  return line.startsWith('{"level":"error"');
}

/**
 * Returns whether a log line is a request log line, even if it was cut and cannot be parsed: `type` is its first field.
 * Default: of any kind.
 */
export function isRequestLogLine(line: string, kinds: readonly RequestLogKind[] = REQUEST_LOG_KINDS): boolean {
  return kinds.some((kind) => line.startsWith(`{"type":"${requestLogType(kind)}"`));
}

/** The most characters kept of a value that the caller chooses freely: client, user and object ids. */
export const MAX_ID_CHARACTERS = 512;
/** The most characters kept of a reason of `degraded`. */
export const MAX_REASON_CHARACTERS = 500;
/** The most ids kept of one answer. */
export const MAX_LOGGED_IDS = 100;

/** Truncates a text without splitting a surrogate pair. */
export function cut<T extends string | null | undefined>(text: T, characters: number): T | string {
  if (typeof text !== "string" || text.length <= characters) return text;
  const end = isHighSurrogate(text.charCodeAt(characters - 1)) ? characters - 1 : characters;
  return text.slice(0, end);
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
