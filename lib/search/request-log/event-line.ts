import { loggedUserId, type RequestLogSettings, SEARCH_EVENT_TYPE } from "./line.ts";
import type { UbiEvent } from "./ubi-event.ts";

/** What the gateway adds to an event. */
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
  };
  return `${JSON.stringify(line)}\n`;
}

/** Ids of hits are texts in the request log, so those of events are too. */
function withTextId(attributes: NonNullable<UbiEvent["event_attributes"]>) {
  const { object } = attributes;
  return { ...attributes, object: { ...object, object_id: String(object?.object_id) } };
}
