import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const MAX_BYTES = 64 * 1024;

/** Returns the last lines of a log, at most 64 KiB. Empty if the file does not exist. */
export function logTail(file: string, lines = 20): string {
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
  try {
    const { size } = fstatSync(fd);
    const buffer = Buffer.alloc(Math.min(size, MAX_BYTES));
    const read = readSync(fd, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8", 0, read).trimEnd().split("\n").slice(-lines).join("\n");
  } finally {
    closeSync(fd);
  }
}
