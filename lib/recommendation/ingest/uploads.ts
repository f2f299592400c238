import { reasonOf } from "../../platform/aws/errors.ts";
import { failureOf, type StoreFailure } from "../../platform/aws/store-failure.ts";
import type { ProfileDataset } from "../../platform/contract/recommendation.ts";
import { batchResult, type Rejected, type Unstored } from "../../platform/http/batch.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import type { Call, JsonCall, Reply } from "../../platform/http/event.ts";
import { type Deadline, deadlineWithin } from "../../platform/resilience/deadline.ts";
import { countLine } from "../../platform/telemetry/emf.ts";
import { fixedTypes } from "../../settings/event-types.ts";
import type { UploadMode } from "../api/requests.ts";
import type { NewEvent, Undelivered } from "../clients/realtime.ts";
import { eventParser, isAnonymous } from "../records/event.ts";
import { anonymousLine, eventLine } from "../records/layout.ts";
import { type Profile, profileParser } from "../records/profile.ts";
import { ID_COLUMNS } from "../records/tables.ts";
import type { Parsed } from "../records/value.ts";
import { answer, logFailure } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";
import { partsMerger } from "./merge.ts";
import { keepRecentItems } from "./recent-items.ts";

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
    const lines = taken.map(({ index, record }) => (isAnonymous(values[index]) ? anonymousLine : eventLine)(record));
    const untaken = await services.eventStream(lines, call.deadline);
    const accepted: NewEvent[] = [];
    const unstored: UnstoredRecord[] = [];
    for (const [line, { index, record }] of taken.entries()) {
      const failure = untaken.get(line);
      if (failure === undefined) accepted.push({ event: record, isAnonymous: isAnonymous(values[index]) });
      else unstored.push({ index, id: record.EVENT_ID, failure });
    }
    if (accepted.length === 0) return uploadReply(services, call, values.length, { invalid, unstored, degraded: [] });
    const [tracked, kept] = await Promise.all([
      track(services, accepted, call),
      keep(services, accepted, call),
      count(services, accepted, call),
    ]);
    return uploadReply(services, call, values.length, { invalid, unstored, degraded: [...tracked, ...kept] });
  };
}

/** Counts accepted events. If that fails, the events stay accepted, and a metric reports the failure. */
async function count(services: RecommendationServices, events: readonly NewEvent[], call: Call): Promise<void> {
  try {
    await services.countEvents(events.length, call.deadline);
  } catch (error) {
    logFailure(services, call, `${events.length} accepted events could not be counted`, error);
    services.api.log(countLine({ Project: services.settings.project }, UNCOUNTED_EVENTS, events.length));
  }
}

/**
 * Sends events of the imported types to Personalize. Personalize limits the number of types, and the events that it
 * receives stay in its dataset.
 */
function track(services: RecommendationServices, accepted: readonly NewEvent[], call: Call): Promise<Degradation[]> {
  const { settings, pointers } = services;
  const fixed = fixedTypes(settings.event_types);
  const events = ofTypes(accepted, fixed);
  return passOn(services, call, { count: events.length, what: "events", target: "events" }, async () => {
    const [trackingId] = await pointers.read([settings.event_tracker], call.deadline);
    if (trackingId === undefined) return "no event tracker is known";
    try {
      const chosen = fixed ? events : ofTypes(events, await services.eventTypes(call.deadline));
      return await services.eventTracker(trackingId, chosen, realtimeDeadline(services, call));
    } catch (error) {
      return { count: events.length, ...failureOf("the table of event types", error) };
    }
  });
}

/** Keeps what the built-in engine's next lists take into account. */
async function keep(
  services: RecommendationServices,
  accepted: readonly NewEvent[],
  call: Call,
): Promise<Degradation[]> {
  const stored = accepted.map(({ event }) => event);
  const failed = await keepRecentItems(services, stored, realtimeDeadline(services, call));
  if (!failed) return [];
  logFailure(
    services,
    call,
    `${failed.count} of ${stored.length} events were not kept for the built-in engine`,
    failed.cause,
  );
  return [delayed("events", `${failed.count} of ${stored.length} events: ${failed.reason}`)];
}

/** Returns the entry of `degraded` for stored records that reach no list before the next training. */
const delayed = (target: string, reason: string, effect?: string): Degradation => ({
  ...{ stage: "realtime", target, reason },
  effect: effect ?? "stored; recommendations take it into account after the next training",
});

const ofTypes = (events: readonly NewEvent[], types: readonly string[] | undefined) =>
  types === undefined ? events : events.filter(({ event }) => types.includes(event.EVENT_TYPE));

/**
 * POST /update-items and /update-users: replaces the record with the same id, or changes its given columns. If a request
 * has several valid records with the same id, only the last one is stored, or the result of all parts; the others are
 * accepted or rejected with it.
 */
export function updateProfiles(services: RecommendationServices, dataset: ProfileDataset) {
  const { definitions } = services.settings;
  const parse = profileParser(dataset, definitions);
  const merge = partsMerger(dataset, definitions);
  const idOf = (record: Profile) => String(record[ID_COLUMNS[dataset]]);

  const replaceAll = async ({ deadline }: Call, values: readonly unknown[]) => {
    const { taken, invalid } = readRecords(values, parse);
    const last = new Map(taken.map(({ record }) => [idOf(record), record]));
    const failures = await services.records.write(dataset, [...last.values()], deadline);
    return { taken: taken.map(({ index, record }) => ({ index, record: idOf(record) })), invalid, failures };
  };
  const mergeAll = async ({ deadline }: Call, values: readonly unknown[]) => {
    const { parsed, changes, unread } = await merge(services.records, values, deadline);
    const unchanged = await services.records.merge(dataset, changes, deadline);
    return { ...readRecords(parsed, (one: Parsed<string>) => one), failures: new Map([...unread, ...unchanged]) };
  };

  return async (call: JsonCall<unknown>, values: readonly unknown[], mode: UploadMode): Promise<Reply> => {
    const { taken, invalid, failures } = await (mode === "merge" ? mergeAll : replaceAll)(call, values);
    return changed(services, call, { dataset, count: values.length, taken, invalid, failures });
  };
}

/**
 * POST /delete-items: removes the items from the table, so that no answer contains them and no training imports them.
 * Ids without an item are accepted.
 */
export function deleteItems(services: RecommendationServices) {
  return async (call: JsonCall<unknown>, ids: readonly string[]): Promise<Reply> => {
    const taken = ids.map((record, index) => ({ index, record }));
    const failures = await services.records.remove("item", [...new Set(ids)], call.deadline);
    const done = { done: "deleted", effect: "deleted; Personalize keeps what it knows of them" };
    return changed(services, call, { dataset: "item", count: ids.length, taken, invalid: [], failures, ...done });
  };
}

/** Passes changed ids on to Personalize and returns the answer. realtime-sync reads the records of these ids. */
async function changed(
  services: RecommendationServices,
  call: JsonCall<unknown>,
  outcome: {
    dataset: ProfileDataset;
    count: number;
    /** Ids of the valid entries. */
    taken: readonly Taken<string>[];
    invalid: readonly RejectedRecord[];
    /** Store failures by id. */
    failures: ReadonlyMap<string, StoreFailure>;
    done?: string;
    effect?: string;
  },
): Promise<Reply> {
  const { dataset, count, taken, invalid, failures, done, effect } = outcome;
  const unstored = taken.flatMap(({ index, record }): UnstoredRecord[] => {
    const failure = failures.get(record);
    return failure === undefined ? [] : [{ index, id: record, failure }];
  });
  const written = [...new Set(taken.map(({ record }) => record))].filter((id) => !failures.has(id));
  const target = `${dataset}s`;
  const what = { count: written.length, what: `changed ${target}`, target, ...(effect && { effect }) };
  const degraded = await passOn(services, call, what, () =>
    services.changes(dataset, written, realtimeDeadline(services, call)),
  );
  return uploadReply(services, call, count, { invalid, unstored, degraded, ...(done && { done }) });
}

/** A valid record of an upload. */
interface Taken<T> {
  /** Position in the request. */
  index: number;
  record: T;
}

/** A record that was not accepted. Its id is null if it has none. For an event, it is the EVENT_ID to send it again with. */
type RejectedRecord = Rejected & { id: string | null };

/** Parses every record of an upload. An invalid record does not affect the others. */
function readRecords<T, Value>(
  values: readonly Value[],
  parse: (value: Value) => Parsed<T>,
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
interface UnstoredRecord extends Unstored {
  id: string;
}

/** Name of the metric that counts records that a store did not accept, by `Project`. An alarm watches it. */
export const UNSTORED_RECORDS = "UnstoredRecords";

/** Returns the answer to an upload. Without an accepted record, it has an `error` beside the usual fields. */
function uploadReply(
  services: Pick<RecommendationServices, "settings" | "api">,
  { requestId }: Pick<Call, "requestId">,
  count: number,
  outcome: {
    invalid: readonly RejectedRecord[];
    unstored: readonly UnstoredRecord[];
    degraded: readonly Degradation[];
    done?: string;
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

/**
 * Passes stored records on to Personalize if a campaign is active. A failure loses no data, so it only degrades the
 * answer. `send` returns the entries that it could not deliver, or why it did not try. `what` names the records in the
 * log, `target` in the answer.
 */
async function passOn(
  services: RecommendationServices,
  call: Call,
  { count, what, target, effect }: { count: number; what: string; target: string; effect?: string },
  send: () => Promise<Undelivered | string>,
): Promise<Degradation[]> {
  const degraded = (reason: string) => [delayed(target, reason, effect)];
  try {
    if (count === 0 || !(await isTrained(services, call))) return [];
    const failed = await send();
    if (failed === undefined) return [];
    if (typeof failed === "string") return degraded(failed);
    logFailure(services, call, `${failed.count} of ${count} ${what} were not passed on`, failed.cause);
    return degraded(`${failed.count} of ${count} ${target}: ${failed.reason}`);
  } catch (error) {
    logFailure(services, call, "the real-time path failed", error);
    return degraded(reasonOf("the parameter store", error));
  }
}

function realtimeDeadline({ settings }: RecommendationServices, { deadline }: Call): Deadline {
  return deadlineWithin(settings.timeouts.realtime_ms, deadline);
}

/** Returns whether any campaign is active, which turns on the real-time path. */
async function isTrained(
  { settings, pointers }: Pick<RecommendationServices, "settings" | "pointers">,
  { deadline }: Pick<Call, "deadline">,
): Promise<boolean> {
  const names = Object.values(settings.campaigns).filter((name) => name !== undefined);
  if (names.length === 0) return false;
  return (await pointers.read(names, deadline)).some((value) => value?.startsWith("arn:"));
}
