import { readFileSync } from "node:fs";
import type { AvroSchema } from "../../config/avro.ts";

/** The statements of ETL. The build puts their text in place of each call. */
const FILES = {
  macros: readFileSync(new URL("macros.sql", import.meta.url), "utf8"),
  objects: readFileSync(new URL("objects.sql", import.meta.url), "utf8"),
  lines: readFileSync(new URL("lines.sql", import.meta.url), "utf8"),
  kept: readFileSync(new URL("kept.sql", import.meta.url), "utf8"),
  counted: readFileSync(new URL("counted.sql", import.meta.url), "utf8"),
  totals: readFileSync(new URL("totals.sql", import.meta.url), "utf8"),
  csv: readFileSync(new URL("csv.sql", import.meta.url), "utf8"),
};

/** Returns a statement. Each value is SQL and replaces its name in double braces. */
export function sql(file: keyof typeof FILES, values: Readonly<Record<string, string | number>> = {}): string {
  return FILES[file].replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`${file}.sql needs a value for ${name}`);
    return String(value);
  });
}

/** Returns a text as a literal. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Returns a name as an identifier. */
export const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Returns a list of texts. */
export const literals = (texts: readonly string[]) => `[${texts.map(literal).join(", ")}]`;

/** Returns a statement that writes rows, whose columns are the schema's fields, as a CSV file for Personalize. */
export function csv({ fields }: AvroSchema, rows: string, file: string): string {
  const texts = fields.filter(({ type }) => [type].flat().includes("string"));
  const header = literal(`${fields.map(({ name }) => name).join(",")}\n`);
  return sql("csv", { rows, file, header, texts: texts.map(({ name }) => identifier(name)).join(", ") });
}

/** Returns a statement that writes the rejected rows, the first 2,000 characters of each. */
export const rejects = (file: string) =>
  `COPY (SELECT * REPLACE ("row"[:2000] AS "row") FROM reject ORDER BY rowid) TO ${file} (FORMAT json)`;
