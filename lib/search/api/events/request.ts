import * as v from "valibot";

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
