import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectStore } from "../../aws/object-store.ts";
import type { AvroSchema } from "../../config/avro.ts";
import type { Engine } from "./engine.ts";
import type { ImportFile } from "./run-files.ts";
import { identifier, literal, sql } from "./sql.ts";

/**
 * Writes a query's rows, whose columns are the schema's fields, as a CSV file for Personalize. Returns null, and writes no
 * object, if there are no rows.
 */
export async function writeImportFile(
  engine: Engine,
  store: ObjectStore,
  { fields }: AvroSchema,
  { key, query }: { key: string; query: string },
): Promise<ImportFile | null> {
  const file = join(engine.folder, "import.csv");
  const isText = ({ type }: AvroSchema["fields"][number]) => [type].flat().includes("string");
  const rows = await engine.run(
    sql("csv", {
      rows: query,
      file: literal(file),
      header: literal(`${fields.map(({ name }) => name).join(",")}\n`),
      texts: fields
        .filter(isText)
        .map(({ name }) => identifier(name))
        .join(", "),
    }),
  );
  if (rows === 0) return null;
  await store.write(key, { file });
  return { key, rows, bytes: (await stat(file)).size };
}
