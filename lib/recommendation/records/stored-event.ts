import type { Value } from "./layout.ts";

/** An event as it is stored: one line of JSON. Custom columns of the schema stand beside these. */
export interface StoredEvent extends Readonly<Record<string, Value | undefined>> {
  EVENT_ID: string;
  USER_ID: string;
  ITEM_ID: string;
  EVENT_TYPE: string;
  EVENT_VALUE?: number;
  /** Whole seconds since 1970. */
  TIMESTAMP: number;
  SESSION_ID: string;
  /** Items that were shown, joined by a vertical bar. */
  IMPRESSION?: string;
  RECOMMENDATION_ID?: string;
}

/** An event as one line, the way the bucket stores it. */
export function eventLine(event: StoredEvent): string {
  return `${JSON.stringify(event)}\n`;
}
