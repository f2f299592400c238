import * as v from "valibot";
import type { EventLogColumn } from "../../platform/contract/log-columns.ts";
import { objectSchema } from "../../platform/http/validate.ts";
import { loggedUserId } from "../../platform/request-log/user-ids.ts";
import { type RequestLogSettings, SEARCH_EVENT_TYPE } from "./line.ts";

/** The most bytes of an event as JSON. */
const MAX_EVENT_BYTES = 64 * 1_024;

const text = (max: number) => v.pipe(v.string(), v.maxLength(max, `must have at most ${max} characters`));
const optional = (max: number, description: string) => v.pipe(v.nullish(text(max)), v.description(description));

const ObjectId = v.union(
  [v.pipe(v.string(), v.nonEmpty(), v.maxLength(256)), v.pipe(v.number(), v.safeInteger())],
  "must be a text of 1 to 256 characters or a whole number",
);

/** The object of the event, such as a document. */
export const EventObject = v.pipe(
  v.looseObject({
    object_id: v.pipe(ObjectId, v.description("The hit's value of `object_id_field`.")),
    object_id_type: optional(100, "Such as product."),
    object_id_field: optional(100, "Field that the id comes from. Default: that of the search."),
    internal_id: v.pipe(v.nullish(ObjectId), v.description("`_id` of the hit.")),
  }),
  v.description("What the event is about."),
);

/** The object's position in the list. */
export const OrdinalPosition = v.looseObject({
  ordinal: v.pipe(
    v.number(),
    v.safeInteger(),
    v.minValue(0),
    v.description("Place in the list, from 1. Reports take the place from the request log."),
  ),
});

/** A point on the screen. */
export const Point = v.looseObject({ x: v.number(), y: v.number() });

/** The object's position on the screen. */
export const PointPosition = v.looseObject({ xy: Point });

/** The position of an event's object. */
export const EventPosition = v.union([OrdinalPosition, PointPosition], "must have ordinal, or xy with x and y");

export const EventAttributes = v.pipe(
  v.looseObject({ object: v.nullish(objectSchema(EventObject)), position: EventPosition }),
  v.description("Details; open to members of your own."),
);

/** A date, time and offset of ISO 8601. {@link timeProblem} checks the days per month. */
const TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const DAY_MS = 86_400_000;

/** Returns why nothing can have happened at a time that {@link UbiEvent} accepts. Undefined if it can. */
export function timeProblem(timestamp: string, now: Date): string | undefined {
  const [year, month, day] = timestamp.slice(0, 10).split("-").map(Number);
  const date = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day));
  if (date.getUTCDate() !== day) return "must be a day that exists";
  const time = Date.parse(timestamp);
  if (time < 0) return "must not be before 1970";
  return time > now.getTime() + DAY_MS ? "must not be later than tomorrow" : undefined;
}

/**
 * One event of User Behavior Insights 1.3.0, open to further members. Client and user ids may be as long as those of
 * searches. Source: o19s/ubi, schema/1.3.0/event.schema.json.
 */
export const UbiEvent = v.pipe(
  v.looseObject({
    action_name: v.pipe(
      text(100),
      v.nonEmpty("must not be empty"),
      v.description("Such as click, add_to_cart or purchase. Judgments and experiments count click."),
    ),
    timestamp: v.pipe(
      v.string(),
      v.regex(TIMESTAMP, "must be a time such as 2026-11-23T08:00:00Z, with Z or an offset"),
      v.description("When it happened: ISO 8601 with Z or an offset, from 1970 on and at most a day from now."),
    ),
    query_id: optional(100, "`x-query-id` of the search."),
    client_id: optional(256, "The `x-client-id` of the search. Default: the header `x-client-id` of this request."),
    user_id: optional(256, "The `user_id` of the search."),
    session_id: optional(100, "The session."),
    application: optional(100, "Application in which it happened. Default: the name of the project."),
    message_type: optional(100, "Groups actions, as in CONVERSION."),
    message: optional(1_024, "A text. Not stored if the log holds no query texts."),
    event_attributes: v.nullish(objectSchema(EventAttributes)),
  }),
  v.check((event) => Buffer.byteLength(JSON.stringify(event)) <= MAX_EVENT_BYTES, "must have at most 64 KiB"),
  v.description("An event of User Behavior Insights 1.3, such as a click on a hit."),
);
export type UbiEvent = v.InferOutput<typeof UbiEvent>;

/** The most events of a request. */
export const MAX_EVENTS = 500;

/** The body of a request. Its events are validated one by one later, so that an invalid one does not reject the others. */
export const EventsRequest = v.strictObject({
  events: v.pipe(
    v.array(v.unknown()),
    v.minLength(1, "must have at least 1 entry"),
    v.maxLength(MAX_EVENTS, `must have at most ${MAX_EVENTS} entries; split the request`),
  ),
});
export type EventsRequest = v.InferOutput<typeof EventsRequest>;

/** Metadata that the gateway adds to an event. */
export interface EventSource {
  /** Name of the caller's API key. */
  key: string;
  /** From the header `x-client-id`. */
  clientId: string | null;
  receivedAt: Date;
}

/**
 * Returns an event as one line of JSON with its line end: the fields of the User Behavior Insights event schema, and
 * `type`, `key` and `received_at`. The user id and the message are written as the request log writes them.
 */
export function eventLine(event: UbiEvent, source: EventSource, settings: RequestLogSettings): string {
  const { event_attributes: attributes, ...rest } = event;
  const line = {
    ...rest,
    type: SEARCH_EVENT_TYPE,
    application: event.application || settings.application,
    query_id: event.query_id ?? null,
    client_id: event.client_id || source.clientId,
    user_id: event.user_id ? loggedUserId(event.user_id, settings) : null,
    action_name: event.action_name,
    timestamp: event.timestamp,
    message: settings.queryText ? (event.message ?? null) : null,
    ...(attributes && { event_attributes: attributes.object ? withTextId(attributes) : attributes }),
    key: source.key,
    received_at: source.receivedAt.toISOString(),
  } satisfies Partial<Record<EventLogColumn, unknown>>;
  return `${JSON.stringify(line)}\n`;
}

/** Converts the object's id to text, as hit ids are in the request log. */
function withTextId(attributes: NonNullable<UbiEvent["event_attributes"]>) {
  const { object } = attributes;
  return { ...attributes, object: { ...object, object_id: String(object?.object_id) } };
}
