import { nameProblem, propertyName } from "@relevance/lib/settings/property-name.ts";
import * as v from "valibot";
import type { Account } from "./account.ts";
import type { DatasetSchema } from "./data/avro-schema.ts";
import { type Cell, type LiveRow, parseProperty } from "./data/rows.ts";
import { ARN, list, text } from "./members.ts";
import { inProgress, type Operation, operation, requireActive } from "./operations/operation.ts";
import type { DatasetType } from "./resources.ts";
import { inUse, invalid, ServiceError } from "./service-error.ts";

const LARGEST_EVENT_BYTES = 10 * 1024;
const ID = text(256, { shortest: 1 });

const Event = v.strictObject({
  eventId: v.optional(ID),
  eventType: ID,
  eventValue: v.optional(v.number()),
  itemId: v.optional(ID),
  properties: v.optional(text(1024, { shortest: 1 })),
  sentAt: v.number(),
  recommendationId: v.optional(text(40, { shortest: 1 })),
  impression: v.optional(list(ID, 25, 1)),
  metricAttribution: v.optional(v.strictObject({ eventAttributionSource: text(1024) })),
});
type Event = v.InferOutput<typeof Event>;

/** PutEvents: stores the events of one session. An event without an item is accepted but not stored. */
export function putEvents(limit: RateLimit): Operation {
  return operation(
    v.strictObject({ trackingId: ID, userId: v.optional(ID), sessionId: ID, eventList: list(Event, 10, 1) }),
    ({ trackingId, userId, sessionId, eventList }, account) => {
      const tracker = account.list("event-tracker").find((candidate) => candidate.trackingId === trackingId);
      if (tracker?.status !== "ACTIVE") throw invalid("Invalid trackingId: no ACTIVE event tracker has it.");
      limit.take(tracker.groupArn);
      const dataset = account.datasetOf(tracker.groupArn, "INTERACTIONS");
      if (dataset?.status !== "ACTIVE") throw invalid("The dataset group has no ACTIVE Interactions dataset.");
      const schema = account.schemaOf(dataset);
      const rows = eventList.map((event, index): LiveRow => {
        const where = `eventList.${index}`;
        if (Buffer.byteLength(JSON.stringify(event)) > LARGEST_EVENT_BYTES) {
          throw invalid(`${where}: an event has at most ${LARGEST_EVENT_BYTES} bytes.`);
        }
        const properties = readProperties(event.properties, where);
        const row = toRow(schema, properties, columnsOf(event, userId), where, ["USER_ID", "ITEM_ID"]);
        return { at: account.now(), values: row, session: sessionId };
      });
      const kept = rows.filter(({ values }) => values.ITEM_ID !== undefined);
      if (kept.length > 0) account.addLive(dataset, kept, "ITEM_ID");
      return {};
    },
  );
}

function columnsOf(event: Event, userId: string | undefined) {
  return {
    USER_ID: userId,
    ITEM_ID: event.itemId,
    TIMESTAMP: Math.floor(event.sentAt),
    EVENT_TYPE: event.eventType,
    EVENT_VALUE: event.eventValue,
    IMPRESSION: event.impression?.join("|"),
    RECOMMENDATION_ID: event.recommendationId,
    EVENT_ATTRIBUTION_SOURCE: event.metricAttribution?.eventAttributionSource,
  };
}

/** PutItems: stores up to ten items. A record replaces the one with the same ID. */
export function putItems(limit: RateLimit): Operation {
  const Item = v.strictObject({ itemId: ID, properties: v.optional(text(32_000, { shortest: 1 })) });
  return operation(v.strictObject({ datasetArn: ARN, items: list(Item, 10, 1) }), ({ datasetArn, items }, account) => {
    const records = items.map(({ itemId: id, properties }) => ({ id, properties }));
    return put(account, limit, datasetArn, "ITEMS", records);
  });
}

/** PutUsers: stores up to ten users. A record replaces the one with the same ID. */
export function putUsers(limit: RateLimit): Operation {
  const User = v.strictObject({ userId: ID, properties: v.optional(text(24_000, { shortest: 1 })) });
  return operation(v.strictObject({ datasetArn: ARN, users: list(User, 10, 1) }), ({ datasetArn, users }, account) => {
    const records = users.map(({ userId: id, properties }) => ({ id, properties }));
    return put(account, limit, datasetArn, "USERS", records);
  });
}

function put(
  account: Account,
  limit: RateLimit,
  datasetArn: string,
  type: DatasetType,
  records: readonly { id: string; properties: string | undefined }[],
): object {
  const dataset = account.find("dataset", datasetArn);
  if (dataset.datasetType !== type) throw invalid(`${datasetArn} is of type ${dataset.datasetType}, not ${type}.`);
  limit.take(dataset.groupArn);
  requireActive(dataset);
  const importing = account.list("dataset-import-job").find((job) => job.datasetArn === datasetArn && inProgress(job));
  if (importing) throw inUse(`Dataset ${datasetArn} is being imported by ${importing.arn}. Please try again later.`);
  const schema = account.schemaOf(dataset);
  const idColumn = type === "ITEMS" ? "ITEM_ID" : "USER_ID";
  const rows = records.map(({ id, properties }, index) => {
    const where = `${type.toLowerCase()}.${index}`;
    const given: Record<string, string> = { [idColumn]: id };
    return { at: account.now(), values: toRow(schema, readProperties(properties, where), given, where) };
  });
  account.addLive(dataset, rows, idColumn);
  return {};
}

/** Parses the `properties` of an event, item or user: JSON with camelCase names. Throws InvalidInputException. */
function readProperties(text: string | undefined, where: string): Record<string, unknown> {
  if (text === undefined) return {};
  let properties: unknown;
  try {
    properties = JSON.parse(text);
  } catch {
    throw invalid(`${where}: properties is not JSON.`);
  }
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) {
    throw invalid(`${where}: properties must be a JSON object.`);
  }
  return { ...properties };
}

/**
 * Builds a dataset row from properties, with `given` columns taking precedence. Columns of `given` that the schema
 * lacks are dropped, and columns in `lenient` may be missing. Throws InvalidInputException for a property that the
 * schema lacks or a value of the wrong type.
 */
function toRow(
  schema: DatasetSchema,
  properties: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, Cell | undefined>>,
  where: string,
  lenient: readonly string[] = [],
): Record<string, Cell> {
  // The service does not document how other names would be matched.
  const nameable = schema.fields.filter(({ name }) => nameProblem(name) === undefined);
  const columns = new Map(nameable.map((column) => [propertyName(column.name), column]));
  const unknown = Object.keys(properties).find((name) => !columns.has(name));
  if (unknown !== undefined) {
    throw invalid(`${where}: the schema has no ${unknown}; it has ${[...columns.keys()].join(", ")}.`);
  }
  const row: Record<string, Cell> = {};
  for (const [name, column] of columns) {
    const value = given[column.name] ?? properties[name];
    if ((value === undefined || value === null) && lenient.includes(column.name)) continue;
    const cell = parseProperty(value, column);
    if ("problem" in cell) throw invalid(`${where}: ${name} ${cell.problem}.`);
    row[column.name] = cell.value;
  }
  return row;
}

const WINDOW_MS = 1000;

/** Limits the calls within one second. */
export class RateLimit {
  #calls = new Map<string, number[]>();
  #most: number;
  #now: () => number;

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  /** Throws ThrottlingException above the allowed calls per second for one key. Rejected calls do not count. */
  take(key: string): void {
    const now = this.#now();
    const recent = (this.#calls.get(key) ?? []).filter((at) => now - at < WINDOW_MS);
    if (recent.length >= this.#most) throw new ServiceError("ThrottlingException", "Rate exceeded");
    recent.push(now);
    this.#calls.set(key, recent);
  }
}
