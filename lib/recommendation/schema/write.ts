import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DATASETS } from "../../config/avro.ts";
import type { EtlConfiguration } from "../../config/etl.ts";
import type { Generated } from "./generate.ts";

/**
 * Writes `schema/*_schema.json` and `etl/configure.json` below the configuration folder and gives their paths. All
 * four are written and flushed under other names first, then renamed: a full disk or a kill leaves no half a file.
 */
export async function writeSchemas(generated: Generated, folder: string): Promise<string[]> {
  const contents: [string, unknown][] = [
    ...DATASETS.map((name): [string, unknown] => [
      join(folder, "schema", `${name}_schema.json`),
      generated.schemas[name],
    ]),
    [join(folder, "etl", "configure.json"), withoutDefaults(generated.etl)],
  ];
  const written: [temporary: string, path: string][] = [];
  try {
    for (const [path, content] of contents) {
      const temporary = `${path}.${randomUUID()}.part`;
      written.push([temporary, path]);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(temporary, `${format(content)}\n`, { flag: "wx", flush: true });
    }
    for (const [temporary, path] of written) await rename(temporary, path);
  } finally {
    await Promise.allSettled(written.map(([temporary]) => rm(temporary, { force: true })));
  }
  return written.map(([, path]) => path);
}

/** What the configuration's schema fills in again is left out: the file is for people, too. */
function withoutDefaults(etl: EtlConfiguration): unknown {
  return Object.fromEntries(
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
}

/** JSON with one line for each entry of a list: a field or a column a line. */
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
