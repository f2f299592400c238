import type { Value } from "./layout.ts";

/** An event as it is stored, as one line of JSON. The schema's custom columns are further properties. */
export interface StoredEvent extends Readonly<Record<string, Value | undefined>> {
  EVENT_ID: string;
  USER_ID: string;
  ITEM_ID: string;
  EVENT_TYPE: string;
  EVENT_VALUE?: number;
  /** Whole seconds since 1970. */
  TIMESTAMP: number;
  SESSION_ID: string;
  /** Ids of the items that were shown, joined by a vertical bar. */
  IMPRESSION?: string;
  RECOMMENDATION_ID?: string;
}

/** Returns an event as one line for the bucket. */
export function eventLine(event: StoredEvent): string {
  return `${JSON.stringify(event)}\n`;
}
