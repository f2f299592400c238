import type { AvroSchema, Dataset } from "../../config/avro.ts";
import type { EtlConfiguration, EtlDataset } from "../../config/etl.ts";

/** The generated files of the configuration: what records look like, and what they become. */
export interface Definitions {
  schemas: Readonly<Record<Dataset, AvroSchema>>;
  etl: EtlConfiguration;
}

/** A value of a column or a field. Whole numbers beyond 2^53 stay text. */
export type Value = string | number;

/** How one field of a schema comes from the columns of a record. */
export interface Field {
  name: string;
  columns: readonly string[];
  separator: string;
}

/** The schema's fields in their order. A field without a column of its own (IS_ACTIVE) is read under its own name. */
export function fieldsOf(schema: AvroSchema, etl: EtlDataset): Field[] {
  return schema.fields.map(({ name }) => {
    const join = etl.joins.find(({ field }) => field === name);
    if (join) return { name, columns: join.columns, separator: join.separator };
    return { name, columns: [etl.renames.find(({ field }) => field === name)?.column ?? name], separator: "" };
  });
}

/** The field's value in a record: several columns are joined, those without a value left out. Null when none has one. */
export function fieldValue(field: Field, record: Readonly<Record<string, Value | undefined>>): Value | null {
  const [first = "", ...others] = field.columns;
  if (others.length === 0) return record[first] ?? null;
  const values = field.columns.flatMap((column) => record[column] ?? []);
  return values.length > 0 ? values.join(field.separator) : null;
}

/** Columns that a schema's text field is made of. */
export function textualColumns(schema: AvroSchema, etl: EtlDataset): ReadonlySet<string> {
  const textual = new Set(schema.fields.filter((field) => field.textual).map(({ name }) => name));
  return new Set(fieldsOf(schema, etl).flatMap(({ name, columns }) => (textual.has(name) ? columns : [])));
}
