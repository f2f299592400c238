import * as v from "valibot";
import { ErrorDetail, errorSchemas, Integer, Issue } from "../../lib/platform/http/documents.ts";
import type { Route } from "../../lib/platform/http/route.ts";
import {
  EventAttributes,
  EventObject,
  EventPosition,
  MAX_EVENTS,
  OrdinalPosition,
  Point,
  PointPosition,
  UbiEvent,
} from "../../lib/search/request-log/ubi-event.ts";
import { served } from "./served.ts";

/** The body of a request with events. It documents what the handler checks one by one. */
const EventsRequestDocument = v.strictObject({
  events: v.pipe(v.array(UbiEvent), v.minLength(1), v.maxLength(MAX_EVENTS)),
});

const RejectedEvent = v.object({
  index: v.pipe(Integer, v.description("Place in the request, from 0.")),
  retryable: v.pipe(v.boolean(), v.description("Whether the same event may be accepted later.")),
  issues: v.array(Issue),
});

const stored = {
  accepted: v.pipe(Integer, v.description("Events that are stored durably.")),
  rejected: v.array(RejectedEvent),
};

const EventsAnswer = v.object(stored);

/** The answer to a request without any accepted event. Lacks `accepted` and `rejected` if the body is invalid. */
const RefusedEvents = v.object({ error: ErrorDetail, ...v.partial(v.object(stored)).entries });

/** The names of these schemas in the OpenAPI document. */
export const schemaNames = {
  EventsRequest: EventsRequestDocument,
  UbiEvent,
  EventAttributes,
  EventObject,
  EventPosition,
  OrdinalPosition,
  PointPosition,
  Point,
  EventsAnswer,
  RefusedEvents,
  RejectedEvent,
  ...errorSchemas,
};

/** The route that search-events adds to the REST API of the search gateway. */
export const routes = [
  {
    ...served.events,
    summary: "Report what users do with hits",
    description:
      "Stores events of User Behavior Insights 1.3, such as clicks, beside the request log. Events are accepted one by one: 200 if at least one is accepted; otherwise 400 if all are invalid, 503 if the store refused them, 500 if they may have been stored.",
    request: EventsRequestDocument,
    response: EventsAnswer,
    refusal: RefusedEvents,
    example: {
      request: {
        events: [
          {
            action_name: "click",
            timestamp: "2026-11-23T08:00:00Z",
            query_id: "7b2f8a54-3c1d-4e5f-9a6b-0c1d2e3f4a5b",
            client_id: "browser-1",
            event_attributes: { object: { object_id: "b1" }, position: { ordinal: 1 } },
          },
        ],
      },
      response: { accepted: 1, rejected: [] },
    },
  },
] as const satisfies readonly Route[];
