import { jsonHandler } from "../../lib/platform/http/body-handlers.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import { type EventsServices, storeEvents } from "../../lib/search/events/events.ts";
import { EventsRequest } from "../../lib/search/request-log/ubi-event.ts";
import { served } from "./served.ts";

/** POST /application/events */
export function eventsFamily(services: EventsServices): Family {
  return {
    [served.events.path]: jsonHandler({
      api: services.api,
      schema: EventsRequest,
      splitHint: "Split the events into several requests.",
      handle: (call) => storeEvents(services, call),
    }),
  };
}
