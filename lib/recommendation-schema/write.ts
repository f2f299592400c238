import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DATASETS } from "../config/avro.ts";
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
    [join(folder, "etl", "configure.json"), generated.etl],
  ];
  const written: [temporary: string, path: string][] = [];
  try {
    for (const [path, content] of contents) {
      const temporary = `${path}.${randomUUID()}.part`;
      written.push([temporary, path]);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { flag: "wx", flush: true });
    }
    for (const [temporary, path] of written) await rename(temporary, path);
  } finally {
    await Promise.allSettled(written.map(([temporary]) => rm(temporary, { force: true })));
  }
  return written.map(([, path]) => path);
}
