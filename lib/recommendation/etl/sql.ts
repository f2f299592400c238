import { readFileSync } from "node:fs";
import { MAX_CATEGORY, MAX_ID, MAX_IMPRESSION, MAX_RECOMMENDATION_ID } from "../../personalize/limits.ts";
import { type Database, type DatabaseLimits, identifier, literal, withDatabase } from "../../platform/sql/database.ts";
import type { AvroSchema } from "../../settings/avro.ts";

/** The statements of ETL. The build puts their text in place of each call. */
const FILES = {
  rules: readFileSync(new URL("event-rules.sql", import.meta.url), "utf8"),
  engine: readFileSync(new URL("engine.sql", import.meta.url), "utf8"),
  objects: readFileSync(new URL("objects.sql", import.meta.url), "utf8"),
  logins: readFileSync(new URL("logins.sql", import.meta.url), "utf8"),
  visitors: readFileSync(new URL("visitors.sql", import.meta.url), "utf8"),
  "group-logins": readFileSync(new URL("group-logins.sql", import.meta.url), "utf8"),
  sessions: readFileSync(new URL("sessions.sql", import.meta.url), "utf8"),
  types: readFileSync(new URL("types.sql", import.meta.url), "utf8"),
  kept: readFileSync(new URL("kept.sql", import.meta.url), "utf8"),
  report: readFileSync(new URL("report.sql", import.meta.url), "utf8"),
  totals: readFileSync(new URL("totals.sql", import.meta.url), "utf8"),
  unknown: readFileSync(new URL("unknown.sql", import.meta.url), "utf8"),
  csv: readFileSync(new URL("csv.sql", import.meta.url), "utf8"),
};

/** Returns a statement. `values` maps names in double braces to SQL. */
export function sql(file: keyof typeof FILES, values: Readonly<Record<string, string | number>> = {}): string {
  return FILES[file].replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`${file}.sql needs a value for ${name}`);
    return String(value);
  });
}

/** Runs `work` with a database that has the macros and the table of rejected rows. */
export const withEngine = <T>(limits: DatabaseLimits, work: (engine: Database) => Promise<T>): Promise<T> =>
  withDatabase(limits, async (engine) => {
    const limits = { MAX_ID, MAX_RECOMMENDATION_ID, MAX_CATEGORY, MORE_ITEMS: MAX_IMPRESSION.items - 1 };
    await engine.run(sql("rules", limits) + sql("engine"));
    return work(engine);
  });

/** Returns SQL that formats rows as a CSV file for Personalize. The rows have the schema's fields as columns. */
export function csv({ fields }: AvroSchema, rows: string, file: string): string {
  const names = fields.map(({ name }) => identifier(name)).join(", ");
  const header = literal(`${fields.map(({ name }) => name).join(",")}\n`);
  // Quoted as texts, because DuckDB would take a name such as "user" for a function.
  const texts = fields.filter(({ type }) => [type].flat().includes("string")).map(({ name }) => literal(name));
  return sql("csv", { fields: names, rows, header, texts: texts.join(", "), file: literal(file) });
}
