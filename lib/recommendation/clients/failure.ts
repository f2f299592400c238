/** What kept a call to an AWS service from succeeding, as far as it decides what comes next. */
export type FailureKind = "throttled" | "unavailable" | "timeout" | "not_found" | "busy" | "refused" | "failed";

/** A call that was cut off by us. */
export class CallTimeout extends Error {
  override name = "CallTimeout";
}

const KINDS: readonly [FailureKind, RegExp][] = [
  ["timeout", /^(?:CallTimeout|AbortError|TimeoutError|RequestTimeout)/],
  ["not_found", /^(?:ResourceNotFound|ParameterNotFound|QueueDoesNotExist)/],
  ["busy", /^ResourceInUse/],
  ["throttled", /Throttl|ThroughputExceeded|LimitExceeded|TooManyRequests|SlowDown/],
  ["unavailable", /^(?:ServiceUnavailable|InternalServer|InternalFailure|InternalError)/],
  ["refused", /^(?:InvalidInput|ValidationException|SerializationException)/],
];

const CONNECTION_CODES = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN"]);

/** Tells the failures of the AWS SDKs apart, by name first and by status where the name says nothing. */
export function failureKind(error: unknown): FailureKind {
  if (!(error instanceof Error)) return "failed";
  const named = KINDS.find(([, pattern]) => pattern.test(error.name));
  if (named) return named[0];
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && CONNECTION_CODES.has(code)) return "unavailable";
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  if (status === 429) return "throttled";
  return status >= 500 ? "unavailable" : "failed";
}

/** Whether the same call may succeed a moment later. A call that ran out of time is not repeated: it would again. */
export function isRetryable(error: unknown): boolean {
  const kind = failureKind(error);
  return kind === "throttled" || kind === "unavailable";
}

const WORDS: Readonly<Record<FailureKind, string>> = {
  throttled: "is throttled",
  unavailable: "cannot be reached",
  timeout: "did not answer in time",
  not_found: "does not exist",
  busy: "is busy",
  refused: "refused the call",
  failed: "failed",
};

/** The failure in words that a caller of the API may read: no ARN, no host, nothing of the error's own text. */
export function reasonOf(what: string, error: unknown): string {
  return `${what} ${WORDS[failureKind(error)]}`;
}
