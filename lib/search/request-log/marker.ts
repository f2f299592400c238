/** The value of `type` in every request log line. */
export const REQUEST_LOG_TYPE = "relevance.search";

/** CloudWatch Logs filter pattern of the subscription: only request log lines leave the log group. */
export const REQUEST_LOG_FILTER_PATTERN = `{ $.type = "${REQUEST_LOG_TYPE}" }`;

/** Name of the metric, by `Project`, that counts request log lines which cannot be read; an alarm watches it. */
export const UNREADABLE_LINES = "UnreadableRequestLogLines";

/** How each request log line begins: `type` is its first field, so that a line is recognised without parsing it. */
const BEGINNING = `{"type":"${REQUEST_LOG_TYPE}"`;

/** Whether a log line is a request log line, also one that was cut and can no longer be parsed. */
export function isRequestLogLine(line: string): boolean {
  return line.startsWith(BEGINNING);
}
