/** One cause of an error answer, in the cluster's words. */
export interface ClusterError {
  type: string;
  reason: string;
}

/** Returns the root causes of an error answer, or the innermost `caused_by` when there are none. Never empty. */
export function clusterErrors(body: unknown): readonly [ClusterError, ...ClusterError[]] {
  const error = (body as { error?: unknown } | null)?.error;
  if (typeof error === "string") return [{ type: "error", reason: error }];
  const { root_cause, caused_by, type, reason } = (error ?? {}) as Record<string, unknown>;
  const roots: unknown[] = Array.isArray(root_cause) ? root_cause : [];
  const [first = innermost(caused_by) ?? { type, reason }, ...others] = roots;
  return [readCause(first), ...others.map(readCause)];
}

/** Returns the first cause of an error answer. */
export function clusterError(body: unknown): ClusterError {
  return clusterErrors(body)[0];
}

function readCause(cause: unknown): ClusterError {
  const { type, reason } = (cause ?? {}) as Partial<ClusterError>;
  return { type: String(type ?? "unknown"), reason: String(reason ?? "no reason given") };
}

function innermost(cause: unknown): unknown {
  const deeper = (cause as { caused_by?: unknown } | undefined)?.caused_by;
  return deeper === undefined ? cause : innermost(deeper);
}

interface CallersFault {
  type: string;
  /** Part of the reason, for types that the cluster also gives to faults of its own. */
  reason?: RegExp;
  /** What is wrong with the request, for the guide. */
  request: string;
}

/**
 * Exceptions that the cluster answers with 500 or 503 although the request is at fault: repeating it does not help.
 * Found by trying several hundred wrong searches on OpenSearch 2.19 and 3.6. `docs/guides/search.md` has the same list.
 */
export const CALLERS_FAULTS: readonly CallersFault[] = [
  {
    type: "search_exception",
    request: "parts that exclude each other: `slice` without a scroll, `collapse` with `rescore`",
  },
  { type: "aggregation_execution_exception", request: "an aggregation that cannot run, such as an unknown `order`" },
  { type: "too_many_buckets_exception", request: "more buckets than `search.max_buckets`" },
  { type: "too_many_clauses", request: "more clauses than `indices.query.bool.max_clause_count` in nested queries" },
  { type: "stream_constraints_exception", request: "a number of more than 1,000 digits" },
  { type: "unsupported_operation_exception", request: "sorting or grouping by a vector" },
  { type: "class_cast_exception", request: "a field or value of the wrong type: `_geo_distance` on a number" },
  {
    type: "exception",
    reason: /^Missing value for field \[|returned an invalid score/,
    request: "a function score on documents without a value, or that is not a number",
  },
  {
    type: "array_index_out_of_bounds_exception",
    reason: /out of bounds for histogram/,
    request: "`hdr` percentiles of negative values",
  },
  {
    type: "illegal_state_exception",
    reason: /^failed to collapse|^failed to find action|^Must specify target_size/,
    request: "`collapse` by a field with several values, a query or a processor that lacks its plugin or a parameter",
  },
  {
    type: "null_pointer_exception",
    reason: /marked non-null but is null|RerankSearchExtBuilder/,
    request: "a `neural` query without a model, `rerank` without `ext.rerank`",
  },
];

/** Exceptions that the cluster itself answers with 400. On another shard one of them can accompany a fault above. */
const REFUSALS = new Set([
  "illegal_argument_exception",
  "number_format_exception",
  "parse_exception",
  "parsing_exception",
  "query_shard_exception",
  "script_exception",
]);

/** Returns whether every cause of an error answer is the caller's fault, at least one despite the status 500 or 503. */
export function isCallersFault(causes: readonly ClusterError[]): boolean {
  const listed = causes.filter(({ type, reason }) =>
    CALLERS_FAULTS.some((fault) => fault.type === type && (fault.reason?.test(reason) ?? true)),
  );
  return listed.length > 0 && causes.every((cause) => listed.includes(cause) || REFUSALS.has(cause.type));
}
