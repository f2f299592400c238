import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a temporary file and renames it, so that neither an interrupted run nor another process leaves a partial file. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const fresh = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(fresh, content);
  await rename(fresh, path);
}
