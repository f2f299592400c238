import { readFileSync } from "node:fs";

/** The statements of ETL. The build puts their text in place of each call. */
const FILES = {
  macros: readFileSync(new URL("macros.sql", import.meta.url), "utf8"),
  objects: readFileSync(new URL("objects.sql", import.meta.url), "utf8"),
  lines: readFileSync(new URL("lines.sql", import.meta.url), "utf8"),
  repeated: readFileSync(new URL("repeated.sql", import.meta.url), "utf8"),
  csv: readFileSync(new URL("csv.sql", import.meta.url), "utf8"),
  check: readFileSync(new URL("check.sql", import.meta.url), "utf8"),
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
