/**
 * The kind of a failed call to an AWS service, by its consequence for the caller.
 *
 * - `throttled`, `unavailable`: transient; the same call may succeed a moment later
 * - `timeout`: we aborted the call; its outcome is unknown
 * - `denied`: credentials or permissions are missing
 * - `absent`: the resource does not exist
 * - `busy`: the resource is in use or still being changed
 * - `refused`: the service does not accept the input
 * - `failed`: anything else
 */
export type FailureKind = "throttled" | "unavailable" | "timeout" | "denied" | "absent" | "busy" | "refused" | "failed";

/** The error of a call that we aborted because it timed out. */
export class CallTimeout extends Error {
  override name = "CallTimeout";
}

/** Codes of a connection that was refused or broke. Source: the Node.js errors that `@smithy/core/retry` retries. */
const CONNECTION_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/**
 * Beginnings of the names of errors that deny a call, by what the caller can do about it: get new credentials, set some,
 * correct them, have the service or region enabled, or ask for a permission. Every text about AWS errors, here, in the
 * command line and in what Terraform prints, is read with this table.
 */
export const DENIALS = {
  expired: ["ExpiredToken", "RequestExpired", "TokenRefreshRequired"],
  missing: ["CredentialsProviderError", "TokenProviderError"],
  rejected: [
    ...["InvalidClientTokenId", "InvalidAccessKeyId", "UnrecognizedClient", "AuthFailure", "SignatureDoesNotMatch"],
    ...["InvalidSignature", "IncompleteSignature", "MissingAuthentication"],
  ],
  not_enabled: ["OptInRequired", "SubscriptionRequired"],
  forbidden: [
    ...["AccessDenied", "KMSAccessDenied", "AuthorizationError"],
    ...["UnauthorizedOperation", "UnauthorizedException", "UnauthorizedAccess"],
  ],
} as const satisfies Record<string, readonly string[]>;

/** Why AWS denied a call. */
export type Denial = keyof typeof DENIALS;

/**
 * Kinds by error name. Sources: the lists of `@smithy/core/retry` and the "Common Errors" of the API references.
 * LimitExceededException does not count as throttling: Personalize and DynamoDB use it for quotas, where a retry does
 * not help. A missing bucket is not `absent`: unlike a missing object, it means that the deployment is broken.
 */
const NAMES: readonly [FailureKind, RegExp][] = [
  ["timeout", /^(?:CallTimeout|AbortError)$/],
  ["unavailable", /^(?:TimeoutError|RequestTimeout|ServiceUnavailable|InternalServer|InternalFailure|InternalError)/],
  ["throttled", /Throttl|ThroughputExceeded|RequestLimitExceeded|BandwidthLimitExceeded|TooManyRequests|SlowDown/],
  ["absent", /^(?:ResourceNotFound|ParameterNotFound|QueueDoesNotExist|NotFound|NoSuch(?!Bucket))/],
  // EC2 uses names such as InvalidVpcID.NotFound.
  ["absent", /\.NotFound$|^InvalidServiceName$/],
  ["busy", /^ResourceInUse/],
  ["refused", /^(?:InvalidInput|ValidationException|SerializationException)/],
];

/**
 * Classifies an error of the AWS SDK by its code, then its name, then its HTTP status. The code comes first because the
 * SDK renames the error of a broken connection to TimeoutError and keeps only the code.
 */
export function failureKind(error: unknown): FailureKind {
  if (!(error instanceof Error)) return "failed";
  if (CONNECTION_CODES.has(String(codeOf(error)))) return "unavailable";
  const named = NAMES.find(([, pattern]) => pattern.test(error.name));
  if (named) return named[0];
  if (denialNamed(error.name)) return "denied";
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  if (status === 429) return "throttled";
  if (status === 401 || status === 403) return "denied";
  return status >= 500 ? "unavailable" : "failed";
}

/** Returns why a call was denied, by the name of its error; undefined for every other error. */
export function denialNamed(name: string): Denial | undefined {
  const all = Object.keys(DENIALS) as Denial[];
  return all.find((denial) => DENIALS[denial].some((start) => name.startsWith(start)));
}

/** Returns why a call was denied. With single sign-on the provider of credentials itself fails, and says "expired". */
export function denialOf(error: unknown): Denial | undefined {
  if (!(error instanceof Error)) return undefined;
  const denial = denialNamed(error.name) ?? denialNamed(String(codeOf(error)));
  return denial === "missing" && /expired/i.test(error.message) ? "expired" : denial;
}

/** Returns whether the same call may succeed a moment later. */
export function isTransient(error: unknown): boolean {
  const kind = failureKind(error);
  return kind === "throttled" || kind === "unavailable";
}

/** Returns whether the connection was refused or broke, so that the service itself has not answered. */
export function isDisconnected(error: unknown): boolean {
  return error instanceof Error && (CONNECTION_CODES.has(String(codeOf(error))) || error.name === "TimeoutError");
}

/** Returns whether an error has this name, which the SDK takes from the service. */
export function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

/** Returns the result of a call, or undefined if the resource does not exist. */
export function ignoreNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  return unless("absent", call);
}

/** Returns the result of a call, or undefined if the resource is in use. */
export function ifFree<T>(call: Promise<T>): Promise<T | undefined> {
  return unless("busy", call);
}

/** Returns whether a deletion took effect, or there was nothing to delete; false if the resource is in use. */
export async function isDeleted(deletion: Promise<unknown>): Promise<boolean> {
  return (await ifFree(ignoreNotFound(deletion).then(() => true))) ?? false;
}

async function unless<T>(kind: FailureKind, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (failureKind(error) === kind) return undefined;
    throw error;
  }
}

function codeOf(error: Error): unknown {
  return (error as NodeJS.ErrnoException).code;
}

const REASONS: Readonly<Record<FailureKind, string>> = {
  throttled: "is throttled",
  unavailable: "is unavailable",
  timeout: "did not answer in time",
  denied: "denied access",
  absent: "does not exist",
  busy: "is busy",
  refused: "refused the call",
  failed: "failed",
};

/** Describes a failure for a caller of the API ("the item store is throttled"), without quoting the error itself. */
export function reasonOf(what: string, error: unknown): string {
  return `${what} ${REASONS[failureKind(error)]}`;
}
