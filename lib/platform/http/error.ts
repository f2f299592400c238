/** One invalid place in a request. `path` is dotted, as in `settings.weights` or `bulk_request.3.id`. */
export interface Issue {
  path: string;
  message: string;
}

/**
 * The status of each code that is not the caller's fault. Each such error is logged with its cause. The official
 * OpenSearch clients retry any call that is answered 502, 503 or 504, writes included, so those statuses are for reads
 * and for calls that changed nothing. See docs/decisions/0003-no-blind-retries.md.
 */
const FAULTS = {
  internal: 500,
  outcome_unknown: 500,
  response_too_large: 500,
  upstream_failed: 502,
  upstream_unavailable: 503,
  not_trained: 503,
  timeout: 504,
};

const STATUS = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  index_not_found: 404,
  template_not_found: 404,
  filter_not_found: 404,
  item_not_found: 404,
  placement_not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rejected_by_cluster: 422,
  throttled: 429,
  ...FAULTS,
};

export type ErrorCode = keyof typeof STATUS;
export type FaultCode = keyof typeof FAULTS;

/** Every error code of both services. */
export const ERROR_CODES = Object.keys(STATUS) as ErrorCode[];

export interface ApiErrorOptions extends ErrorOptions {
  /** The cause: an error, the words of an upstream, or a list of these. Logged, never shown. */
  cause?: unknown;
  issues?: readonly Issue[];
  headers?: Readonly<Record<string, string>>;
  /** Shown as `error.cause`: the `type` and `reason` that the cluster gave. */
  shown?: Readonly<Record<string, unknown>>;
}

/**
 * An error answer. Callers see the message, the issues and `shown`, so these never contain a secret, an ARN or an
 * internal host name. The code determines the status. A fault requires a `cause` for its log line.
 */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: ErrorCode;
  readonly statusCode: number;
  readonly expose = true;
  readonly issues: readonly Issue[];
  readonly headers: Readonly<Record<string, string>>;
  readonly shown: Readonly<Record<string, unknown>> | undefined;

  constructor(code: FaultCode, message: string, options: ApiErrorOptions & { cause: unknown });
  constructor(code: Exclude<ErrorCode, FaultCode>, message: string, options?: ApiErrorOptions);
  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.statusCode = STATUS[code];
    this.issues = options.issues ?? [];
    this.headers = options.headers ?? {};
    this.shown = options.shown;
  }

  /** Returns the same error with another message; the original becomes its cause. */
  withMessage(message: string): ApiError {
    const { code, issues, headers, shown } = this;
    // The options with a cause fit every code.
    return new ApiError(code as FaultCode, message, { issues, headers, cause: this, ...(shown && { shown }) });
  }

  /**
   * Returns the body of the answer as JSON text. `native` adds what the OpenSearch clients read: `type`, `reason`,
   * `root_cause`, and the `status` beside the error, without which those for Go and Java find no error at all.
   */
  body(requestId: string, { native = false }: { native?: boolean } = {}): string {
    return JSON.stringify({
      error: {
        code: this.code,
        message: this.message,
        ...(native && nativeError(this.code, this.message)),
        ...(this.issues.length > 0 && { issues: this.issues }),
        ...(this.shown && { cause: this.shown }),
        request_id: requestId,
      },
      ...(native && { status: this.statusCode }),
    });
  }
}

/** An error as the OpenSearch clients read it: opensearch-py and opensearch-js print the first root cause. */
export function nativeError(type: string, reason: string) {
  return { type, reason, root_cause: [{ type, reason }] };
}
