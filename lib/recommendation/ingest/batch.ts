import type { Degradation } from "../../core/http/degradation.ts";
import type { Issue } from "../../core/http/error.ts";
import type { Call, Reply } from "../../core/http/event.ts";
import { metricLine } from "../../core/telemetry/emf.ts";
import type { Parsed } from "../records/parsed.ts";
import { answer } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";

/** A record of an upload that follows the schema. */
export interface Taken<T> {
  /** Place in the request. */
  index: number;
  record: T;
}

/** A record of an upload that was not stored, as the answer names it. */
export interface Rejected {
  index: number;
  /** Null where the record has none. Of an event it is the EVENT_ID to send it again with. */
  id: string | null;
  /** Whether the same record may be accepted later. */
  retryable: boolean;
  issues: readonly Issue[];
}

/** Reads every record of an upload; one that is wrong does not keep the others out. */
export function readRecords<T>(
  values: readonly unknown[],
  parse: (value: unknown) => Parsed<T>,
): { taken: Taken<T>[]; rejected: Rejected[] } {
  const taken: Taken<T>[] = [];
  const rejected: Rejected[] = [];
  for (const [index, value] of values.entries()) {
    const parsed = parse(value);
    if ("record" in parsed) taken.push({ index, record: parsed.record });
    else rejected.push({ index, id: parsed.id ?? null, retryable: false, issues: parsed.issues });
  }
  return { taken, rejected };
}

/** A record that the store did not take. */
export function notStored(index: number, id: string, reason: string): Rejected {
  return { index, id, retryable: true, issues: [{ path: "", message: `was not stored: ${reason}; send it again` }] };
}

/**
 * The answer to an upload: 200 when at least one record was accepted, else 400 with an `error` beside what every upload is
 * answered with.
 */
export function uploadReply(
  services: Pick<RecommendationServices, "settings" | "api">,
  { requestId }: Pick<Call, "requestId">,
  count: number,
  rejected: readonly Rejected[],
  degraded: readonly Degradation[],
): Reply {
  const accepted = count - rejected.length;
  const { project } = services.settings;
  const metrics = [
    { name: "AcceptedRecords", unit: "Count", value: accepted },
    { name: "RejectedRecords", unit: "Count", value: rejected.length },
  ] as const;
  services.api.log(metricLine({ Project: project }, metrics));
  const response = { accepted, rejected: rejected.toSorted((a, b) => a.index - b.index) };
  if (accepted > 0) return answer(services, { request: { count }, response, degraded });
  const later = rejected.some(({ retryable }) => retryable);
  const message = `None of the ${count} records was accepted; response.rejected has the reasons${
    later ? ", and those that are retryable can be sent again as they are" : ""
  }.`;
  const error = { code: "invalid_request", message, request_id: requestId };
  return answer(services, { status: 400, request: { count }, response, degraded, error });
}

/** What a failed real-time path means to a caller: nothing is lost. */
export function realtimeDegradation(target: string, reason: string): Degradation {
  return { stage: "realtime", target, reason, effect: "stored; recommendations learn of it with the next training" };
}

/** Parameters of all campaigns: any active one means that the real-time path is on. */
export async function isTrained(
  { settings, pointers }: Pick<RecommendationServices, "settings" | "pointers">,
  { deadline }: Pick<Call, "deadline">,
): Promise<boolean> {
  const names = Object.values(settings.campaigns).filter((name) => name !== undefined);
  if (names.length === 0) return false;
  return (await pointers.read(names, deadline)).some((value) => value?.startsWith("arn:"));
}
