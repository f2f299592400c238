import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the API key of the local stack. It is created once and stored, so that a user's scripts keep working. */
export function apiKey(dir: string): string {
  const file = join(dir, "api-key");
  try {
    const key = readFileSync(file, "utf8").trim();
    if (key !== "") return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const key = randomBytes(20).toString("hex");
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}
