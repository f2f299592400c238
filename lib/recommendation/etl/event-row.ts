import type { Definitions, Value } from "../records/layout.ts";
import type { TrainedEvent } from "../records/trained-event.ts";
import { customFields } from "../records/trained-event.ts";

/** Between the fields of a row, and after a row. Records never hold control characters. */
export const FIELD_END = "\x1f";
/** See FIELD_END. */
export const ROW_END = "\x1e";

/** Position of the fields in a row of a segment; fields of the schema's own follow. */
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

/** An event between the two steps of ETL: every field as text, so that the second step only picks and quotes. */
export function eventRow(eventId: string, event: TrainedEvent): string {
  const { userId, itemId, eventType, eventValue, timestamp, impression, values } = event;
  let row = `${eventId}${FIELD_END}${userId}${FIELD_END}${itemId}${FIELD_END}${eventType}${FIELD_END}${eventValue ?? ""}`;
  row += `${FIELD_END}${timestamp}${FIELD_END}${impression ?? ""}`;
  for (const value of values) row += FIELD_END + cellText(value);
  return row + ROW_END;
}

/** A column of the import file: its name, and where its value stands in a row. */
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

/** The columns of the interactions' import file, in the schema's order. */
export function rowColumns(definitions: Definitions): RowColumn[] {
  const own = customFields(definitions);
  return definitions.schemas.interaction.fields.map(({ name }) => ({
    name,
    at: POSITIONS[name] ?? ROW.own + own.indexOf(name),
  }));
}

const cellText = (value: Value | null) => (value === null ? "" : String(value));

/** What makes a cell of CSV need quotes: a quote, a comma or the end of a line (RFC 4180). */
export const TO_QUOTE = /[",\n\r]/;

/** A value as a cell of CSV. */
export function csvCell(value: Value | null): string {
  const text = cellText(value);
  return TO_QUOTE.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
