import { ApiError } from "../../platform/http/error.ts";
import { isObject, parseJson } from "../../platform/json/values.ts";
import { type Deadline, retry } from "../../platform/resilience/deadline.ts";
import { type Cluster, type ClusterAnswer, ClusterFailure, type ClusterRequest } from "./cluster.ts";

/** Subtracted from every upstream timeout, to leave time for the answer. */
const ANSWER_MARGIN_MS = 300;

/** Returns the timeout, in milliseconds, of a call that starts now. Throws `timeout` when too little time is left. */
export function callTimeout(deadline: Deadline): number {
  const left = deadline.remaining() - ANSWER_MARGIN_MS;
  if (left > 0) return left;
  throw new ApiError("timeout", "The time for this request ended before the search cluster was called.", {
    cause: `${Math.round(deadline.remaining())} ms were left`,
  });
}

/**
 * A response that asks to retry later. Thrown inside `retry`; after the last attempt the response itself is returned.
 */
class Busy extends Error {
  readonly answer: ClusterAnswer;
  constructor(answer: ClusterAnswer) {
    super(`status ${answer.status}`);
    this.answer = answer;
  }
}

export const isBusy = (status: number): boolean => status === 429 || status === 503;

/**
 * Returns a function that decides which failures of one read to retry. A refused connection is always retried. One that
 * broke after the request was sent is retried only once, since the read itself may have broken it.
 */
export function readRetries(): (error: unknown) => boolean {
  let lost = 0;
  return (error) => {
    if (error instanceof Busy) return true;
    if (!(error instanceof ClusterFailure)) return false;
    if (error.kind === "lost") lost += 1;
    return error.kind === "refused" || (error.kind === "lost" && lost === 1);
  };
}

/**
 * Sends a call that changes nothing, at most three times. Retries after 429, 503 and a refused connection, and once
 * after a broken connection, but not if the request itself is at fault. Returns the last answer whatever its status.
 * Throws ApiError if there is no answer.
 */
export async function readCall(cluster: Cluster, request: ClusterRequest, deadline: Deadline): Promise<ClusterAnswer> {
  try {
    return await retry(
      async () => {
        const answer = await cluster.send(request, callTimeout(deadline));
        if (isBusy(answer.status) && !isCallersFault(clusterErrors(parseJson(answer.body)))) throw new Busy(answer);
        return answer;
      },
      { deadline, retryable: readRetries() },
    );
  } catch (error) {
    if (error instanceof Busy) return error.answer;
    throw asApiError(error);
  }
}

/** Converts the failure of a call without an answer to an ApiError. Returns any other error unchanged. */
export function asApiError(error: unknown): unknown {
  if (!(error instanceof ClusterFailure)) return error;
  const cause = { cause: error };
  switch (error.kind) {
    case "refused":
      return new ApiError("upstream_unavailable", "The search cluster cannot be reached.", cause);
    case "timeout":
      return new ApiError("timeout", "The search cluster did not answer in time.", cause);
    case "too_large":
      return new ApiError(
        "response_too_large",
        "The search cluster executed this request, but its answer is too large to pass on. Ask for less at a time.",
        cause,
      );
    case "lost":
      return new ApiError("upstream_failed", "The connection to the search cluster was lost.", cause);
  }
}

/**
 * Returns whether an error answer comes from the cluster itself: its body is `{"error": …, "status": n}` with the
 * answer's own status. A load balancer or proxy in front of the cluster answers in another form, and may do so after
 * the cluster has executed the call.
 */
export function isClusterError({ status, body }: ClusterAnswer): boolean {
  const parsed = parseJson(body) as { error?: unknown; status?: unknown } | null | undefined;
  return status >= 400 && parsed?.error !== undefined && parsed.status === status;
}

/** Returns the JSON object of a successful answer. Throws ApiError for anything else and for any other status. */
export function jsonOf(answer: ClusterAnswer): Record<string, unknown> {
  if (answer.status >= 300) throw refusalOf(answer);
  const body = parseJson(answer.body);
  if (isObject(body)) return body;
  throw new ApiError("upstream_failed", "The search cluster answered with something that is not a JSON object.", {
    cause: `status ${answer.status}: ${answer.body.toString("utf8", 0, 200)}`,
  });
}

/** The start of the security plugin's reason. After it comes the name of the cluster user, which is not shown. */
const LACKED_PERMISSION = /^no permissions for (\[[^\]]*\])/;

/** Returns the error that callers get for an answer with an error status. */
export function refusalOf(answer: ClusterAnswer): ApiError {
  const { status, body, headers } = answer;
  const causes = clusterErrors(parseJson(body));
  const [cause] = causes;
  const logged = `status ${status}: ${cause.type}: ${cause.reason}`;
  const lacked = status === 403 && cause.type === "security_exception" && LACKED_PERMISSION.exec(cause.reason)?.[1];
  if (lacked) {
    const message = `The gateway's cluster user may not do this with these indexes: it has no permission for ${lacked}.`;
    return new ApiError("forbidden", message, { shown: { type: cause.type } });
  }
  if (status === 403 && cause.type === "cluster_block_exception") {
    const message = `The operator of the search cluster has blocked this: ${cause.reason}`;
    return new ApiError("forbidden", message, { shown: { type: cause.type, reason: cause.reason } });
  }
  if (status === 401 || status === 403) {
    return new ApiError("upstream_failed", "The search cluster refused the gateway's own credentials.", {
      shown: { status, type: cause.type },
      cause: logged,
    });
  }
  if (causes.some(({ type }) => type === "task_cancelled_exception")) {
    return new ApiError("timeout", `The search cluster cancelled this search: ${cause.reason}.`, { cause: logged });
  }
  if (cause.type === "index_not_found_exception") {
    return new ApiError("index_not_found", `There is no index for this request: ${cause.reason}.`);
  }
  if (status === 429) {
    const retryAfter = headers["retry-after"];
    return new ApiError("throttled", "The search cluster is busy; try again later.", {
      headers: { "retry-after": typeof retryAfter === "string" ? retryAfter : "1" },
    });
  }
  if (isRefusal(answer) || isCallersFault(causes)) {
    return new ApiError("rejected_by_cluster", `The search cluster refused this request: ${cause.reason}`, {
      shown: { type: cause.type, reason: cause.reason },
    });
  }
  if (status === 503) {
    return new ApiError("upstream_unavailable", "The search cluster is not available right now.", { cause: logged });
  }
  return new ApiError("upstream_failed", "The search cluster failed on this request.", {
    shown: { status, type: cause.type, reason: withoutNodes(cause.reason) },
    cause: logged,
  });
}

/**
 * Returns whether the cluster refused the request itself. A redirect, a 408, and a 404 not sent by the cluster come
 * from a proxy or a wrong address.
 */
const isRefusal = (answer: ClusterAnswer): boolean => {
  const { status } = answer;
  if (status === 404) return isClusterError(answer);
  return status >= 400 && status < 500 && status !== 408;
};

const ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?|\[[\da-f]{0,4}(?::[\da-f]{0,4}){2,8}\](?::\d{1,5})?/gi;

/** Returns a reason without names and addresses of nodes, such as `[node-1][10.0.0.1:9300]`. */
const withoutNodes = (reason: string): string =>
  reason.replaceAll(ADDRESS, "node").replaceAll(/\[[^\][]{1,100}\]\[node\]/g, "[node]");

/**
 * First operation of a `_bulk` call that must not create its index. If any operation of a call requires an alias, the
 * cluster creates no index (docs/decisions/0011-no-index-by-a-write.md). For an index, only this operation is refused;
 * for an alias it is executed, and changes nothing.
 */
export const CREATE_NO_INDEX = '{"update":{"_id":"relevance: create no index","require_alias":true}}\n{"doc":{}}\n';

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
  /** Pattern of the reason, for types that the cluster also uses for its own faults. */
  reason?: RegExp;
  /** The fault of the request, for the reference. */
  request: string;
}

/**
 * Exceptions for which the cluster answers 500 or 503 although the request is at fault, so repeating it does not help.
 * Found by trying several hundred wrong searches on OpenSearch 2.19 and 3.6. docs/reference/degraded.md lists them.
 */
export const CALLERS_FAULTS: readonly CallersFault[] = [
  {
    type: "search_exception",
    request: "parts that exclude each other: `slice` without a scroll, `collapse` with `rescore`",
  },
  { type: "aggregation_execution_exception", request: "an aggregation that cannot run, such as an unknown `order`" },
  { type: "too_many_buckets_exception", request: "more buckets than `search.max_buckets`" },
  { type: "too_many_clauses", request: "more clauses than `indices.query.bool.max_clause_count` in nested queries" },
  { type: "too_many_nested_clauses", request: "the same, counted over the whole query: a long text in several fields" },
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
    reason:
      /^failed to collapse|^failed to find action|^Must specify target_size|number of documents after fetch phase/,
    request:
      "`collapse` by a field with several values, a query or a processor that lacks its plugin or a parameter, a completion `suggest` beside a hybrid query",
  },
  {
    type: "null_pointer_exception",
    reason: /marked non-null but is null|RerankSearchExtBuilder/,
    request: "a `neural` query without a model, `rerank` without `ext.rerank`",
  },
];

/**
 * Exceptions that the cluster answers with 400. They may occur on one shard while another has one of the faults above.
 */
const REFUSALS = new Set([
  "illegal_argument_exception",
  "number_format_exception",
  "parse_exception",
  "parsing_exception",
  "query_shard_exception",
  "script_exception",
]);

/** Returns whether the request caused every error, at least one of them despite status 500 or 503. */
export function isCallersFault(causes: readonly ClusterError[]): boolean {
  const listed = causes.filter(({ type, reason }) =>
    CALLERS_FAULTS.some((fault) => fault.type === type && (fault.reason?.test(reason) ?? true)),
  );
  return listed.length > 0 && causes.every((cause) => listed.includes(cause) || REFUSALS.has(cause.type));
}
