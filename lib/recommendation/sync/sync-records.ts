import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { MAX_PUT_RECORDS } from "../../personalize/limits.ts";
import { chunks } from "../../platform/aws/call.ts";
import { failureKind, isTransient, reasonOf } from "../../platform/aws/errors.ts";
import { PROFILE_DATASETS, type ProfileDataset } from "../../platform/contract/recommendation.ts";
import { parseJson } from "../../platform/json/values.ts";
import { type Deadline, MAX_ATTEMPTS } from "../../platform/resilience/deadline.ts";
import type { DatasetRecord, DatasetWriter } from "../clients/dataset-writer.ts";
import type { RecordStore } from "../clients/record-store.ts";
import { deletedItemProperties, type Profile, profileParser, profileProperties } from "../records/profile.ts";
import type { RealtimeSyncSettings } from "../service/settings.ts";

const Message = v.strictObject({
  dataset: v.picklist(PROFILE_DATASETS),
  ids: v.pipe(v.array(v.pipe(v.string(), v.nonEmpty())), v.minLength(1)),
});

/** A message of the change queue. */
interface ChangeMessage {
  messageId: string;
  body: string;
}

/** The result of a batch. */
interface SyncedBatch {
  /** Ids of messages to deliver again, and finally to move to the dead-letter queue. */
  failedMessages: string[];
  /** Reasons for the failures, by id of the record, or of the message if it cannot be parsed. */
  reasons: ReadonlyMap<string, string>;
}

/** Synchronizes the users and items of a batch. Merges the messages, so that a repeated id is put only once. */
export async function syncMessages(
  services: SyncServices,
  messages: readonly ChangeMessage[],
  deadline: Deadline,
): Promise<SyncedBatch> {
  const failed = new Set<string>();
  const reasons = new Map<string, string>();
  const wanted: Record<ProfileDataset, Map<string, string[]>> = { user: new Map(), item: new Map() };
  for (const { messageId, body } of messages) {
    const parsed = v.safeParse(Message, parseJson(body));
    if (!parsed.success) {
      failed.add(messageId);
      reasons.set(messageId, `is not a message of changes: ${v.summarize(parsed.issues)}`);
      continue;
    }
    const byId = wanted[parsed.output.dataset];
    for (const id of parsed.output.ids) byId.set(id, [...(byId.get(id) ?? []), messageId]);
  }
  for (const dataset of PROFILE_DATASETS) {
    const unsynchronized = await synchronize(services, dataset, [...wanted[dataset].keys()], deadline);
    for (const [id, reason] of unsynchronized) {
      reasons.set(id, reason);
      for (const messageId of wanted[dataset].get(id) ?? []) failed.add(messageId);
    }
  }
  return { failedMessages: [...failed], reasons };
}

/** The settings and clients that synchronization uses. */
export interface SyncServices {
  settings: RealtimeSyncSettings;
  records: Pick<RecordStore, "read">;
  write: DatasetWriter;
  /** Shared by users and items, and by all invocations of the instance. */
  pace: Pace;
}

/** How often to put a record that keeps changing in the meantime. */
const MAX_PUTS = 3;

/**
 * Puts the current records of changed users or items into Personalize. Returns the ids that failed, with the reasons.
 * After each put it reads the records again, and puts those that have changed again. So when two instances put the same
 * record, the last put is never the older version. Personalize cannot delete: an item without a record is put as inactive,
 * if the schema has IS_ACTIVE; a user without a record is skipped.
 * Puts inactive records like any other, with their IS_ACTIVE.
 */
export async function synchronize(
  services: SyncServices,
  dataset: ProfileDataset,
  ids: readonly string[],
  deadline: Deadline,
): Promise<ReadonlyMap<string, string>> {
  const failed = new Map<string, string>();
  const parts = chunks(ids, MAX_PUT_RECORDS);
  for (const [at, part] of parts.entries()) {
    const stop = await synchronizePart(services, dataset, part, deadline, failed);
    if (stop === undefined) continue;
    // The dataset is busy or throttled, or time has run out. The rest would fail in the same way.
    for (const id of parts.slice(at + 1).flat()) failed.set(id, stop);
    break;
  }
  return failed;
}

/** Synchronizes as many ids as one call takes. Returns a reason if trying the remaining ids is pointless. */
async function synchronizePart(
  services: SyncServices,
  dataset: ProfileDataset,
  part: readonly string[],
  deadline: Deadline,
  failed: Map<string, string>,
): Promise<string | undefined> {
  const toRecord = datasetRecord(services.settings, dataset);
  const deleted = dataset === "item" ? deletedItemProperties(services.settings.definitions) : undefined;
  const readCurrent = async (ids: readonly string[]): Promise<ReadonlyMap<string, Profile | undefined>> => {
    const { records, unread, failure } = await services.records.read(dataset, ids, deadline, { consistent: true });
    for (const id of unread) failed.set(id, failure?.reason ?? "");
    if (deleted === undefined) return records;
    return new Map(ids.filter((id) => !unread.has(id)).map((id) => [id, records.get(id)]));
  };

  let changed = await readCurrent(part);
  for (let puts = 0; changed.size > 0; puts += 1) {
    if (puts === MAX_PUTS) {
      for (const id of changed.keys()) failed.set(id, "changed again each time it was put");
      return undefined;
    }
    const put: DatasetRecord[] = [];
    for (const [id, record] of changed) {
      const made = record ? toRecord(id, record) : { id, properties: deleted ?? "" };
      if ("properties" in made) put.push(made);
      else failed.set(id, made.problem);
    }
    const stop = await putRecords(services, dataset, put, deadline, failed);
    if (stop !== undefined) return stop;
    const done = put.map(({ id }) => id).filter((id) => !failed.has(id));
    const before = changed;
    const after = done.length > 0 ? await readCurrent(done) : new Map<string, Profile | undefined>();
    changed = new Map([...after].filter(([id, record]) => !isDeepStrictEqual(record, before.get(id))));
  }
  return undefined;
}

/** Returns a function that converts a record for Personalize, or describes why the record does not fit the schema. */
function datasetRecord({ definitions }: RealtimeSyncSettings, dataset: ProfileDataset) {
  const parse = profileParser(dataset, definitions, "ignore");
  const properties = profileProperties(dataset, definitions);
  return (id: string, record: Profile): DatasetRecord | { problem: string } => {
    const parsed = parse(record);
    if ("record" in parsed) return { id, properties: properties(parsed.record) };
    const issues = parsed.issues.map(({ path, message }) => `${path} ${message}`.trim());
    return { problem: `does not fit the schema: ${issues.join("; ")}` };
  };
}

/**
 * Puts at most ten records, at the given pace. If Personalize rejects the call, puts them one by one, so that a bad
 * record fails alone. Returns a reason if trying further records is pointless.
 */
async function putRecords(
  services: SyncServices,
  dataset: ProfileDataset,
  records: readonly DatasetRecord[],
  deadline: Deadline,
  failed: Map<string, string>,
): Promise<string | undefined> {
  if (records.length === 0) return undefined;
  const failAll = (reason: string) => {
    for (const { id } of records) failed.set(id, reason);
    return reason;
  };
  for (let attempt = 1; ; attempt += 1) {
    if (!(await services.pace.turn(deadline))) return failAll("no time was left");
    try {
      await services.write(dataset, records, deadline);
      return undefined;
    } catch (error) {
      if (isTransient(error) && attempt < MAX_ATTEMPTS) continue;
      if (failureKind(error) !== "refused") return failAll(reasonOf("Personalize", error));
      if (records.length === 1) {
        failAll(`Personalize refused it: ${error instanceof Error ? error.message : ""}`);
        return undefined;
      }
      break;
    }
  }
  for (const [at, record] of records.entries()) {
    const stop = await putRecords(services, dataset, [record], deadline, failed);
    if (stop === undefined) continue;
    for (const { id } of records.slice(at + 1)) failed.set(id, stop);
    return stop;
  }
  return undefined;
}

/** Hands out turns at a steady pace. */
interface Pace {
  /** Waits for the caller's turn and returns true. Returns false at once if that would be after the deadline. */
  turn(deadline: Deadline): Promise<boolean>;
}

interface PaceOptions {
  now?: () => number;
  wait?: (ms: number) => Promise<unknown>;
}

/**
 * Calls reach the service less evenly than turns are given. This factor keeps the count in any second below the limit.
 */
const JITTER = 1.1;

/** Creates a pace of at most `perSecond` evenly spread turns a second, for the life of the function instance. */
export function createPace(perSecond: number, { now = () => performance.now(), wait = sleep }: PaceOptions = {}): Pace {
  const interval = (1_000 / perSecond) * JITTER;
  let next = Number.NEGATIVE_INFINITY;
  return {
    async turn(deadline) {
      const time = now();
      const at = Math.max(time, next);
      if (at - time >= deadline.remaining()) return false;
      next = at + interval;
      if (at > time) await wait(at - time);
      return true;
    },
  };
}
