import { batchResult, type Rejected, type Unstored } from "../../core/http/batch.ts";
import type { Degradation } from "../../core/http/degradation.ts";
import type { Call, Reply } from "../../core/http/event.ts";
import type { Parsed } from "../records/value.ts";
import { answer } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";

/** A valid record of an upload. */
export interface Taken<T> {
  /** Position in the request. */
  index: number;
  record: T;
}

/** A record that was not accepted. Its id is null if it has none. For an event, it is the EVENT_ID to send it again with. */
export type RejectedRecord = Rejected & { id: string | null };

/** Parses every record of an upload. An invalid record does not affect the others. */
export function readRecords<T>(
  values: readonly unknown[],
  parse: (value: unknown) => Parsed<T>,
): { taken: Taken<T>[]; invalid: RejectedRecord[] } {
  const taken: Taken<T>[] = [];
  const invalid: RejectedRecord[] = [];
  for (const [index, value] of values.entries()) {
    const parsed = parse(value);
    if ("record" in parsed) taken.push({ index, record: parsed.record });
    else invalid.push({ index, id: parsed.id ?? null, retryable: false, issues: parsed.issues });
  }
  return { taken, invalid };
}

/** A record that the store did not accept. */
export interface UnstoredRecord extends Unstored {
  id: string;
}

/** Name of the metric that counts records that a store did not accept, by `Project`. An alarm watches it. */
export const UNSTORED_RECORDS = "UnstoredRecords";

/** Returns the answer to an upload. Without an accepted record, it has an `error` beside the usual fields. */
export function uploadReply(
  services: Pick<RecommendationServices, "settings" | "api">,
  { requestId }: Pick<Call, "requestId">,
  count: number,
  outcome: {
    invalid: readonly RejectedRecord[];
    unstored: readonly UnstoredRecord[];
    degraded: readonly Degradation[];
  },
): Reply {
  const { degraded, ...parts } = outcome;
  const place = "response.rejected";
  const result = batchResult(services.api, requestId, {
    entries: "Records",
    count,
    place,
    again: ` as they are in ${place}`,
    ...parts,
  });
  const { status, error, ...response } = result;
  return answer(services, { status, ...(error && { error }), request: { count }, response, degraded });
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
