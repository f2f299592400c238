import * as v from "valibot";
import type { LiveRow } from "../data/rows.ts";
import { list, text } from "../members.ts";
import { type Operation, operation } from "../operations/operation.ts";
import { invalid } from "../service-error.ts";
import { readProperties, toRow } from "./properties.ts";
import type { RateLimit } from "./rate.ts";

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
