import type { StoreFailure } from "../../aws/store-failure.ts";
import type { Degradation } from "../../core/http/degradation.ts";
import { ApiError, type Issue } from "../../core/http/error.ts";
import type { Call, Reply } from "../../core/http/event.ts";
import { countFault } from "../../core/http/middleware.ts";
import { metricLine } from "../../core/telemetry/emf.ts";
import type { Parsed } from "../records/parsed.ts";
import { answer, logFailure } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";

/** A valid record of an upload. */
export interface Taken<T> {
  /** Position in the request. */
  index: number;
  record: T;
}

/** A record that was not accepted, as shown in the answer. */
export interface Rejected {
  index: number;
  /** Null if the record has none. For an event, the EVENT_ID to use when sending it again. */
  id: string | null;
  /** Whether the same record may be accepted later. */
  retryable: boolean;
  issues: readonly Issue[];
}

/** Parses every record of an upload. An invalid record does not affect the others. */
export function readRecords<T>(
  values: readonly unknown[],
  parse: (value: unknown) => Parsed<T>,
): { taken: Taken<T>[]; invalid: Rejected[] } {
  const taken: Taken<T>[] = [];
  const invalid: Rejected[] = [];
  for (const [index, value] of values.entries()) {
    const parsed = parse(value);
    if ("record" in parsed) taken.push({ index, record: parsed.record });
    else invalid.push({ index, id: parsed.id ?? null, retryable: false, issues: parsed.issues });
  }
  return { taken, invalid };
}

/** A record that the store did not accept. */
export interface Unstored {
  index: number;
  id: string;
  failure: StoreFailure;
}

/** Name of the metric that counts records that a store did not accept, by `Project`. An alarm watches it. */
export const UNSTORED_RECORDS = "UnstoredRecords";

/**
 * Returns the answer to an upload: 200 if at least one record was accepted. Otherwise it has an `error` beside the
 * usual fields: 400 if every record is invalid, 500 if some may have been stored, 503 if a store rejected them.
 */
export function uploadReply(
  services: Pick<RecommendationServices, "settings" | "api">,
  call: Pick<Call, "requestId">,
  count: number,
  { invalid, unstored, degraded }: UploadOutcome,
): Reply {
  const accepted = count - invalid.length - unstored.length;
  const { project } = services.settings;
  const { requestId } = call;
  const metrics = [
    { name: "AcceptedRecords", unit: "Count", value: accepted },
    { name: "RejectedRecords", unit: "Count", value: invalid.length },
    { name: UNSTORED_RECORDS, unit: "Count", value: unstored.length },
  ] as const;
  services.api.log(metricLine({ Project: project }, metrics));
  for (const [failure, { length }] of Map.groupBy(unstored, ({ failure }) => failure)) {
    logFailure(services, call, `${length} of ${count} records were not stored: ${failure.reason}`, failure.cause);
  }
  const rejected = [...invalid, ...unstored.map(rejectedOf)].toSorted((a, b) => a.index - b.index);
  const reply = { request: { count }, response: { accepted, rejected }, degraded };
  if (accepted > 0) return answer(services, reply);
  const { code, message, statusCode } = noneAccepted(count, unstored);
  if (statusCode >= 500) countFault(services.api, code);
  return answer(services, { ...reply, status: statusCode, error: { code, message, request_id: requestId } });
}

/** The records that were not accepted, and what was degraded. */
interface UploadOutcome {
  invalid: readonly Rejected[];
  unstored: readonly Unstored[];
  degraded: readonly Degradation[];
}

function rejectedOf({ index, id, failure }: Unstored): Rejected {
  const outcome = failure.isUnknown ? "may not have been stored" : "was not stored";
  return {
    index,
    id,
    retryable: true,
    issues: [{ path: "", message: `${outcome}: ${failure.reason}; send it again` }],
  };
}

function noneAccepted(count: number, unstored: readonly Unstored[]): ApiError {
  const none = `None of the ${count} records was accepted; response.rejected has the reasons`;
  const [first] = unstored;
  if (!first) return new ApiError("invalid_request", `${none}.`);
  const unknown = unstored.find(({ failure }) => failure.isUnknown)?.failure;
  const { cause } = unknown ?? first.failure;
  return new ApiError(
    unknown ? "outcome_unknown" : "upstream_unavailable",
    `${none}. Send those that are retryable again as they are in response.rejected.`,
    { cause },
  );
}

/** Tells the client that the real-time path failed, but that no data was lost. */
export function realtimeDegradation(target: string, reason: string): Degradation {
  return {
    stage: "realtime",
    target,
    reason,
    effect: "stored; recommendations take it into account after the next training",
  };
}

/** Returns whether any campaign is active, which turns on the real-time path. */
export async function isTrained(
  { settings, pointers }: Pick<RecommendationServices, "settings" | "pointers">,
  { deadline }: Pick<Call, "deadline">,
): Promise<boolean> {
  const names = Object.values(settings.campaigns).filter((name) => name !== undefined);
  if (names.length === 0) return false;
  return (await pointers.read(names, deadline)).some((value) => value?.startsWith("arn:"));
}
