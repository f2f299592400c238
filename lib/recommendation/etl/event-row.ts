import type { Definitions, Value } from "../records/layout.ts";
import type { TrainedEvent } from "../records/trained-event.ts";
import { customFields } from "../records/trained-event.ts";

/** Separates the fields of a row. The parser rejects control characters such as this one in records. */
export const FIELD_END = "\x1f";
/** Ends a row. See FIELD_END. */
export const ROW_END = "\x1e";

/** The positions of the fields in a row of a segment. The schema's custom fields follow. */
export const ROW = {
  eventId: 0,
  userId: 1,
  itemId: 2,
  eventType: 3,
  eventValue: 4,
  timestamp: 5,
  impression: 6,
  own: 7,
} as const;

/**
 * Formats an event as a row between the two steps of ETL. All fields are text, so the second step only selects and
 * quotes.
 */
export function eventRow(eventId: string, event: TrainedEvent): string {
  const { userId, itemId, eventType, eventValue, timestamp, impression, values } = event;
  let row = `${eventId}${FIELD_END}${userId}${FIELD_END}${itemId}${FIELD_END}${eventType}${FIELD_END}${eventValue ?? ""}`;
  row += `${FIELD_END}${timestamp}${FIELD_END}${impression ?? ""}`;
  for (const value of values) row += FIELD_END + cellText(value);
  return row + ROW_END;
}

/** A column of the import file: its name, and the position of its value in a row. */
export interface RowColumn {
  name: string;
  at: number;
}

const POSITIONS: Readonly<Record<string, number>> = {
  USER_ID: ROW.userId,
  ITEM_ID: ROW.itemId,
  EVENT_TYPE: ROW.eventType,
  EVENT_VALUE: ROW.eventValue,
  TIMESTAMP: ROW.timestamp,
  IMPRESSION: ROW.impression,
};

/** Returns the columns of the import file for interactions, in the order of the schema. */
export function rowColumns(definitions: Definitions): RowColumn[] {
  const own = customFields(definitions);
  return definitions.schemas.interaction.fields.map(({ name }) => ({
    name,
    at: POSITIONS[name] ?? ROW.own + own.indexOf(name),
  }));
}

const cellText = (value: Value | null) => (value === null ? "" : String(value));

/** Matches text that needs quotes in a CSV cell: a quote, a comma or a backslash. */
export const TO_QUOTE = /[",\\]/;

/**
 * Formats a value as a CSV cell in the dialect of Personalize: a backslash escapes quotes and backslashes. Source:
 * Amazon Personalize Developer Guide, "Data format guidelines". Values contain no line breaks.
 */
export function csvCell(value: Value | null): string {
  const text = cellText(value);
  return TO_QUOTE.test(text) ? `"${text.replace(/["\\]/g, "\\$&")}"` : text;
}
