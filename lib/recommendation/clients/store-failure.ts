import { failureKind, reasonOf } from "../../aws/errors.ts";

/** Why an upstream did not do what it was asked to. */
export interface StoreFailure {
  /** For the caller: "the item store is throttled". */
  reason: string;
  /** For the log: the error, or what the upstream answered. */
  cause: unknown;
  /** Whether it may have been done all the same, since no answer came. */
  isUnknown: boolean;
}

/** Describes the error of a call. */
export function failureOf(upstream: string, error: unknown): StoreFailure {
  const kind = failureKind(error);
  return { reason: reasonOf(upstream, error), cause: error, isUnknown: kind === "timeout" || kind === "unavailable" };
}

/** Describes why an upstream left entries: the error of the last call, or that it answered and did not take them. */
export function whyLeft(
  upstream: string,
  results: readonly { left: readonly unknown[]; error: unknown }[],
): StoreFailure {
  const failed = results.find(({ left, error }) => left.length > 0 && error !== undefined);
  if (failed) return failureOf(upstream, failed.error);
  const count = results.reduce((sum, { left }) => sum + left.length, 0);
  return { reason: `${upstream} is throttled`, cause: `it answered, and left ${count} entries`, isUnknown: false };
}
