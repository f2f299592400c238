import { type Denial, denialOf } from "../../platform/aws/errors.ts";
import type { Verdict } from "./breaker.ts";
import { EmbeddingError } from "./embedder.ts";
import { ModelCallTimeout } from "./model-client.ts";

/** Error for an answer that cannot be used: not JSON, too few vectors, a wrong dimension. Callers see the message. */
export class ModelAnswerError extends Error {
  override name = "ModelAnswerError";
}

/** Classification of a failed model call. */
export interface Failure {
  /** Callers see it, so it names no endpoint, host or ARN. */
  reason: string;
  /** Worth another attempt within this request. */
  again: boolean;
  /** The same text may succeed in a later request. */
  later: boolean;
  /** The model refused the input: with several texts in the call, maybe because of one of them. */
  refused: boolean;
  timedOut: boolean;
  /** The model may be down: it gave no answer or an internal error. A model that throttles or refuses is up. */
  down: boolean;
}

/** The properties of SDK and socket errors that are read here. No other property reaches callers or logs. */
interface Thrown {
  name?: unknown;
  code?: unknown;
  $metadata?: { httpStatusCode?: unknown };
  OriginalStatusCode?: unknown;
}

type Kind = "transient" | "throttled" | "later" | "final" | "refused" | "timeout";

const failure = (reason: string, kind: Kind): Failure => ({
  reason,
  again: kind === "transient" || kind === "throttled",
  later: kind !== "final" && kind !== "refused",
  refused: kind === "refused",
  timedOut: kind === "timeout",
  down: kind === "transient" || kind === "later" || kind === "timeout",
});

/** Errors that both services, or the socket, give by name. Names as in the services' API models. */
const BY_NAME: Record<string, readonly [reason: string, kind: Kind]> = {
  ThrottlingException: ["model endpoint throttles", "throttled"],
  TooManyRequestsException: ["model endpoint throttles", "throttled"],
  ModelNotReadyException: ["model is not ready yet", "transient"],
  ServiceUnavailable: ["model endpoint is unavailable", "transient"],
  ServiceUnavailableException: ["model endpoint is unavailable", "transient"],
  ModelTimeoutException: ["model did not answer in time", "transient"],
  // Thrown by the SDK while connecting: nothing was sent.
  TimeoutError: ["model endpoint could not be reached in time", "transient"],
  ECONNREFUSED: ["model endpoint refused the connection", "transient"],
  // A kept-alive connection that the server closed. Inference has no side effects, so a repeat is safe.
  ECONNRESET: ["model endpoint closed the connection", "transient"],
  ETIMEDOUT: ["model endpoint could not be reached in time", "transient"],
  EPIPE: ["model endpoint closed the connection", "transient"],
  EAI_AGAIN: ["model endpoint could not be resolved", "transient"],
  ENOTFOUND: ["model endpoint could not be resolved", "later"],
  InternalServerException: ["model endpoint failed with an internal error", "later"],
  InternalFailure: ["model endpoint failed with an internal error", "later"],
  InternalDependencyException: ["model endpoint failed with an internal error", "later"],
  ServiceQuotaExceededException: ["quota of the model is exceeded", "later"],
  ModelErrorException: ["model failed on the request", "final"],
  ValidationException: ["model refused the input", "refused"],
  // Errors of SageMaker itself about the endpoint or request. Errors of the model are ModelError.
  ValidationError: ["model endpoint does not exist or does not take this request", "final"],
  ResourceNotFoundException: ["model does not exist in this region", "final"],
};

const DENIED: Readonly<Record<Denial, readonly [reason: string, kind: Kind]>> = {
  forbidden: ["access to the model is denied", "final"],
  rejected: ["access to the model is denied", "final"],
  not_enabled: ["access to the model is denied: the account may not use the service", "final"],
  expired: ["access to the model is denied: credentials have expired", "later"],
  missing: ["access to the model is denied: no credentials", "final"],
};

/** Classifies a failed model call: whether to try again, and the message for the caller. */
export function classify(error: unknown): Failure {
  if (error instanceof ModelCallTimeout) return failure(error.message, "timeout");
  if (error instanceof ModelAnswerError) return failure(error.message, "final");
  const { name, code, $metadata, OriginalStatusCode } = (error ?? {}) as Thrown;

  if (name === "ModelError") return modelError(OriginalStatusCode);
  // The code first: the SDK renames every socket error to TimeoutError and leaves the code.
  const known = BY_NAME[String(code)] ?? BY_NAME[String(name)];
  if (known) return failure(...known);
  const denial = denialOf(error);
  if (denial) return failure(...DENIED[denial]);

  const status = $metadata?.httpStatusCode;
  if (status === 429) return failure("model endpoint throttles", "throttled");
  if (status === 503) return failure("model endpoint is unavailable", "transient");
  if (typeof status === "number") return failure(`model endpoint answered with status ${status}`, "final");
  return failure("model call failed", "final");
}

/** Returns a failed call's verdict about the model, with the reason. */
export function judge(error: unknown): { verdict: Verdict; reason: string } {
  const { reason, down } = classify(error);
  const silent = error instanceof EmbeddingError || (error instanceof ModelCallTimeout && error.wasShort);
  return { verdict: silent ? "unknown" : down ? "down" : "alive", reason };
}

/** Classifies the container's own status, which SageMaker wraps (HTTP 424). */
function modelError(status: unknown): Failure {
  switch (status) {
    case 429:
      return failure("model is overloaded (status 429)", "throttled");
    case 503:
      return failure("model is unavailable (status 503)", "transient");
    // 413 and 422 are Text Embeddings Inference's validation up to 1.8 and from 1.9; 400 is an empty input.
    case 400:
    case 413:
    case 422:
      return failure(`model refused the input (status ${status})`, "refused");
    // The container did not answer within SageMaker's 60 s.
    case 0:
      return failure("model did not answer in time", "later");
    default:
      return failure(`model failed (status ${typeof status === "number" ? status : "unknown"})`, "final");
  }
}

/** Returns the error for callers of an embedder; the original is its `cause`. */
export function toEmbeddingError(error: unknown): EmbeddingError {
  if (error instanceof EmbeddingError) return error;
  const { reason, later } = classify(error);
  return new EmbeddingError(reason, { cause: error, retryable: later });
}
