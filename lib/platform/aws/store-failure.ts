import { failureKind, reasonOf } from "./errors.ts";

/** Why an upstream call failed. */
export interface StoreFailure {
  /** For the client, for example "the item store is throttled". */
  reason: string;
  /** For the log: the error, or a description of the upstream's answer. */
  cause: unknown;
  /** Whether the call may have succeeded, because no answer came. */
  isUnknown: boolean;
}

/** Describes the error of a call. */
export function failureOf(upstream: string, error: unknown): StoreFailure {
  const kind = failureKind(error);
  return { reason: reasonOf(upstream, error), cause: error, isUnknown: kind === "timeout" || kind === "unavailable" };
}

/** Describes why an upstream did not process some entries: the last call failed, or its answer left them out. */
export function whyLeft(
  upstream: string,
  results: readonly { left: readonly unknown[]; error: unknown }[],
): StoreFailure {
  const failed = results.find(({ left, error }) => left.length > 0 && error !== undefined);
  if (failed) return failureOf(upstream, failed.error);
  const count = results.reduce((sum, { left }) => sum + left.length, 0);
  return { reason: `${upstream} is throttled`, cause: `it answered, and left ${count} entries`, isUnknown: false };
}
