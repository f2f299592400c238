import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DATASETS } from "../../platform/contract/recommendation.ts";
import { type AvroSchema, typesOf } from "../../settings/avro.ts";
import type { EtlConfiguration } from "../../settings/etl.ts";
import { checkSchemaTexts } from "../../settings/parse.ts";
import type { Generated } from "./generate.ts";

const PATHS = {
  user: "schema/user_schema.json",
  item: "schema/item_schema.json",
  interaction: "schema/interaction_schema.json",
  etl: "etl/configure.json",
} as const;

/**
 * Writes `schema/*_schema.json` and `etl/configure.json` below the configuration folder and returns their paths. Writes
 * and flushes all four files under temporary names, then renames them, so that a full disk or a killed process leaves
 * no incomplete file. Throws ConfigurationError, and writes nothing, if `relevance validate` would refuse the files.
 */
export async function writeSchemas(generated: Pick<Generated, "schemas" | "etl">, folder: string): Promise<string[]> {
  const contents = {
    ...Object.fromEntries(DATASETS.map((name) => [PATHS[name], `${format(generated.schemas[name])}\n`])),
    [PATHS.etl]: `${format(withoutDefaults(generated.etl))}\n`,
  };
  checkSchemaTexts(contents, PATHS, folder);
  const written: [temporary: string, path: string][] = [];
  try {
    for (const [name, content] of Object.entries(contents)) {
      const path = join(folder, name);
      const temporary = `${path}.${randomUUID()}.part`;
      written.push([temporary, path]);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(temporary, content, { flag: "wx", flush: true });
    }
    for (const [temporary, path] of written) await rename(temporary, path);
  } finally {
    await Promise.allSettled(written.map(([temporary]) => rm(temporary, { force: true })));
  }
  return written.map(([, path]) => path);
}

/** Removes values that the configuration's schema fills in by default, to keep the file readable. */
function withoutDefaults(etl: EtlConfiguration): unknown {
  const { files } = etl;
  const datasets = Object.fromEntries(
    DATASETS.map((dataset) => {
      const { columns, joins, renames } = etl[dataset];
      const short = columns.map(({ name, type, nullable, multiple }) => ({
        name,
        type,
        ...(nullable && { nullable }),
        ...(multiple && { multiple }),
      }));
      return [dataset, { columns: short, ...(joins.length > 0 && { joins }), ...(renames.length > 0 && { renames }) }];
    }),
  );
  const filled = (value: unknown) => !Array.isArray(value) || value.length > 0;
  return {
    ...datasets,
    ...(files && { files: Object.fromEntries(Object.entries(files).filter(([, value]) => filled(value))) }),
  };
}

/** Formats JSON with each list entry (a field or a column) on one line. */
function format(value: unknown, indent = ""): string {
  const below = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((entry) => below + oneLine(entry)).join(",\n")}\n${indent}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, inner]) => `${below}${JSON.stringify(key)}: ${format(inner, below)}`,
  );
  return `{\n${members.join(",\n")}\n${indent}}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${oneLine(inner)}`);
  return `{ ${members.join(", ")} }`;
}

const HEADER = ["Field", "Data type", "Categorical", "Textual"] as const;

/** Formats the fields of a schema as a table: types as `float or null`, flags as O (yes) or X (no). */
export function schemaTable(schema: AvroSchema): string {
  const flag = (value: boolean | undefined) => (value ? "O" : "X");
  const rows = schema.fields.map((field) => [
    field.name,
    typesOf(field).join(" or "),
    flag(field.categorical),
    flag(field.textual),
  ]);
  const widths = HEADER.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(HEADER), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join("\n");
}
