import type { ErrorCode, Issue } from "./types.ts";

/** An error response: body, status and headers. */
export interface Failure {
  status: number;
  code: ErrorCode | "unexpected_answer";
  message: string;
  /** Every invalid place of the request, such as `bulk_request.3.id`. */
  issues: readonly Issue[];
  /** The error reported by the cluster or another service behind the API. */
  cause: unknown;
  /** Identifies the request in the service's logs. */
  requestId: string | undefined;
  /** Seconds to wait before another attempt, if the service named them. */
  retryAfter: number | undefined;
  /** The whole answer: an upload's has `response.rejected` beside the error. */
  answer: unknown;
}

/** An error that the service answered. */
export class RelevanceError extends Error implements Failure {
  readonly status: number;
  readonly code: Failure["code"];
  readonly issues: readonly Issue[];
  override readonly cause: unknown;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly answer: unknown;

  constructor(failure: Failure) {
    super(`${failure.message} (${failure.status} ${failure.code})`);
    this.name = new.target.name;
    this.status = failure.status;
    this.code = failure.code;
    this.issues = failure.issues;
    this.cause = failure.cause;
    this.requestId = failure.requestId;
    this.retryAfter = failure.retryAfter;
    this.answer = failure.answer;
  }
}

/** The request is not valid: `issues` lists every invalid place, or `cause` has the cluster's reason. */
export class InvalidRequestError extends RelevanceError {}

/** The key is missing or wrong, or may not make this call. */
export class ForbiddenError extends RelevanceError {}

/** The signed token is missing, expired, forged or of an unknown key. */
export class UnauthorizedError extends RelevanceError {}

/** The index, template, filter, item or placement does not exist. */
export class NotFoundError extends RelevanceError {}

/** The request or its answer is too large. */
export class TooLargeError extends RelevanceError {}

/** Too many requests: nothing was done. */
export class ThrottledError extends RelevanceError {}

/** A service behind the API failed, could not be reached or was too slow: nothing was written. */
export class UnavailableError extends RelevanceError {}

/** The request may or may not have taken effect. */
export class OutcomeUnknownError extends RelevanceError {}

/** The service could not be reached, or its answer was lost on the way: for a write, the outcome is unknown. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

type ErrorClass = new (failure: Failure) => RelevanceError;

/** The class of each code. A code without a class of its own is a fault of the service or of this client. */
const CLASSES: Readonly<Record<Failure["code"], ErrorClass>> = {
  invalid_request: InvalidRequestError,
  rejected_by_cluster: InvalidRequestError,
  unsupported_media_type: InvalidRequestError,
  method_not_allowed: InvalidRequestError,
  unauthorized: UnauthorizedError,
  forbidden: ForbiddenError,
  not_found: NotFoundError,
  index_not_found: NotFoundError,
  template_not_found: NotFoundError,
  filter_not_found: NotFoundError,
  item_not_found: NotFoundError,
  placement_not_found: NotFoundError,
  payload_too_large: TooLargeError,
  response_too_large: TooLargeError,
  throttled: ThrottledError,
  upstream_failed: UnavailableError,
  upstream_unavailable: UnavailableError,
  not_trained: UnavailableError,
  timeout: UnavailableError,
  outcome_unknown: OutcomeUnknownError,
  internal: RelevanceError,
  unexpected_answer: RelevanceError,
};

/** Returns the error for an answer whose status is 400 or higher. */
export function errorOf(status: number, answer: unknown, headers: Headers): RelevanceError {
  const error = (answer as { error?: Partial<Failure> & { request_id?: string } } | undefined)?.error;
  const known = typeof error?.code === "string" && Object.hasOwn(CLASSES, error.code);
  const code = known ? (error.code as ErrorCode) : "unexpected_answer";
  const retryAfter = Number(headers.get("retry-after") ?? Number.NaN);
  return new (CLASSES[code] as ErrorClass)({
    status,
    code,
    message: typeof error?.message === "string" ? error.message : `the service answered ${status}`,
    issues: error?.issues ?? [],
    cause: error?.cause,
    requestId: error?.request_id ?? headers.get("x-request-id") ?? undefined,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
    answer,
  });
}
