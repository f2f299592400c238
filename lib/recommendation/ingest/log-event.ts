import { reasonOf } from "../../aws/errors.ts";
import type { Degradation } from "../../core/http/degradation.ts";
import type { Call, JsonCall, Reply } from "../../core/http/event.ts";
import { deadlineWithin } from "../../core/resilience/deadline.ts";
import { countLine } from "../../core/telemetry/emf.ts";
import { eventParser } from "../records/event.ts";
import { eventLine, type StoredEvent } from "../records/layout.ts";
import { logFailure } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";
import { isTrained, readRecords, realtimeDegradation, type UnstoredRecord, uploadReply } from "./batch.ts";

/** Name of the metric for accepted events that could not be counted, by `Project`. An alarm watches it. */
export const UNCOUNTED_EVENTS = "UncountedEvents";

/**
 * POST /log-event: stores events in the bucket through the delivery stream. An event counts as accepted once the stream
 * has accepted it. Accepted events are counted, so that training can check that all have arrived. Once a campaign is
 * active, they are also sent to Personalize.
 */
export function logEvents(services: RecommendationServices) {
  const parse = eventParser(services.settings.definitions, {
    now: () => Math.floor(services.now() / 1_000),
    id: services.newId,
  });

  return async (call: JsonCall<unknown>, values: readonly unknown[]): Promise<Reply> => {
    const { taken, invalid } = readRecords(values, parse);
    const lines = taken.map(({ record }) => eventLine(record));
    const untaken = await services.eventStream(lines, call.deadline);
    const accepted: StoredEvent[] = [];
    const unstored: UnstoredRecord[] = [];
    for (const [line, { index, record }] of taken.entries()) {
      const failure = untaken.get(line);
      if (failure === undefined) accepted.push(record);
      else unstored.push({ index, id: record.EVENT_ID, failure });
    }
    const [degraded] =
      accepted.length > 0
        ? await Promise.all([track(services, accepted, call), count(services, accepted, call)])
        : [[]];
    return uploadReply(services, call, values.length, { invalid, unstored, degraded });
  };
}

/** Counts accepted events. If that fails, the events stay accepted, and a metric reports the failure. */
async function count(services: RecommendationServices, events: readonly StoredEvent[], call: Call): Promise<void> {
  try {
    await services.countEvents(events.length, call.deadline);
  } catch (error) {
    logFailure(services, call, `${events.length} accepted events could not be counted`, error);
    services.api.log(countLine({ Project: services.settings.project }, UNCOUNTED_EVENTS, events.length));
  }
}

async function track(
  services: RecommendationServices,
  events: readonly StoredEvent[],
  call: Call,
): Promise<Degradation[]> {
  const { settings, pointers } = services;
  try {
    if (!(await isTrained(services, call))) return [];
    const [trackingId] = await pointers.read([settings.event_tracker], call.deadline);
    if (trackingId === undefined) return [realtimeDegradation("events", "no event tracker is known")];
    const deadline = deadlineWithin(settings.timeouts.realtime_ms, call.deadline);
    const failed = await services.eventTracker(trackingId, events, deadline);
    if (!failed) return [];
    logFailure(services, call, `${failed.count} of ${events.length} events were not passed on`, failed.cause);
    return [realtimeDegradation("events", `${failed.count} of ${events.length} events: ${failed.reason}`)];
  } catch (error) {
    logFailure(services, call, "the real-time path failed", error);
    return [realtimeDegradation("events", reasonOf("the parameter store", error))];
  }
}
