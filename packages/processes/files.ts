import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Returns the text of a file, or undefined if it does not exist. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes a file beside the old one and renames it into place, so that readers never see an incomplete file. */
export function replaceFile(file: string, content: string | Uint8Array, mode = 0o666): void {
  const written = `${file}.${process.pid}.new`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(written, content, { mode });
  renameSync(written, file);
}
