import * as v from "valibot";
import { MAX_TEXT } from "../../personalize/limits.ts";
import { AvroSchema } from "../../settings/avro.ts";
import { type EtlDataset, EtlSchema } from "../../settings/etl.ts";

/** The generated configuration files: the schemas, and how ETL derives their fields from the columns of records. */
export const Definitions = v.strictObject({
  schemas: v.strictObject({
    user: AvroSchema("user"),
    item: AvroSchema("item"),
    interaction: AvroSchema("interaction"),
  }),
  etl: EtlSchema,
  /** Texts that are no ids of users, items and sessions. */
  refuse: v.optional(v.array(v.string())),
});

export type Definitions = v.InferOutput<typeof Definitions>;

/** The value of a column or field. Whole numbers beyond 2^53 stay text. */
export type Value = string | number;

/** How a field of a schema is derived from the columns of a record. */
export interface Field {
  name: string;
  columns: readonly string[];
  separator: string;
}

/**
 * Returns the schema's fields in order. A field without a join or a rename is read from the column of the same name.
 */
export function fieldsOf(schema: AvroSchema, etl: EtlDataset): Field[] {
  return schema.fields.map(({ name }) => {
    const join = etl.joins.find(({ field }) => field === name);
    if (join) return { name, columns: join.columns, separator: join.separator };
    return { name, columns: [etl.renames.find(({ field }) => field === name)?.column ?? name], separator: "" };
  });
}

/**
 * Returns a field's value in a record. Joins several columns, skipping those without a value. Null if none has one. Line
 * breaks become spaces, because an import has one record a line, and PutItems and PutUsers must give the same value.
 * Joined text is cut where Personalize's limit ends, because one longer text could fail the import of all items.
 */
export function fieldValue(field: Field, record: Readonly<Record<string, Value | undefined>>): Value | null {
  const [first = "", ...others] = field.columns;
  if (others.length === 0) return onOneLine(record[first] ?? null);
  const values = field.columns.flatMap((column) => record[column] ?? []);
  return values.length > 0 ? onOneLine(cut(values.join(field.separator))) : null;
}

function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const start = text.slice(0, MAX_TEXT);
  // Not in the middle of a surrogate pair.
  return start.isWellFormed() ? start : start.slice(0, -1);
}

function onOneLine(value: Value | null): Value | null {
  return typeof value === "string" ? value.replace(/\r\n|[\r\n]/g, " ") : value;
}

/** Returns the columns that make up the schema's textual field. */
export function textualColumns(schema: AvroSchema, etl: EtlDataset): ReadonlySet<string> {
  const textual = new Set(schema.fields.filter((field) => field.textual).map(({ name }) => name));
  return new Set(fieldsOf(schema, etl).flatMap(({ name, columns }) => (textual.has(name) ? columns : [])));
}

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

/**
 * Property of a stored line, with the value `true`, whose user is only a session. Values of columns are never `true`.
 */
export const ANONYMOUS = "ANONYMOUS";

/** Returns an event as one line for the bucket. */
export function eventLine(event: StoredEvent): string {
  return `${JSON.stringify(event)}\n`;
}

/** Returns the line of an event whose user is only a session. */
export function anonymousLine(event: StoredEvent): string {
  return `${JSON.stringify({ [ANONYMOUS]: true, ...event })}\n`;
}
