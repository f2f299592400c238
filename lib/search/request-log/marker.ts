/** The value of `type` in every request log line. */
export const REQUEST_LOG_TYPE = "relevance.search";

/** The value of `type` in every stored event. */
export const SEARCH_EVENT_TYPE = "relevance.event";

/** The subscription's filter pattern: only request log lines and errors leave the log group. */
export const REQUEST_LOG_FILTER_PATTERN = `{ $.type = "${REQUEST_LOG_TYPE}" || $.level = "error" }`;

/** Name of the metric, by `Project`, that counts unreadable request log lines. An alarm watches it. */
export const UNREADABLE_LINES = "UnreadableRequestLogLines";

/** Name of the metric, by `Project`, that counts valid events that were not stored. An alarm watches it. */
export const UNSTORED_EVENTS = "UnstoredEvents";

/** The start of every request log line: `type` is its first field, so a line is recognized without parsing it. */
const BEGINNING = `{"type":"${REQUEST_LOG_TYPE}"`;

/** Returns whether a log line is that of a failed request, of which `level` is the first field. */
export function isErrorLine(line: string): boolean {
  return line.startsWith('{"level":"error"');
}

/** Returns whether a log line is a request log line, even if it was cut and cannot be parsed. */
export function isRequestLogLine(line: string): boolean {
  return line.startsWith(BEGINNING);
}
