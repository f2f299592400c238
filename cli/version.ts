import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_FOLDER } from "../lib/platform/folders.ts";

/** Returns the version of this tool. */
export function toolVersion(): string {
  return JSON.parse(readFileSync(join(PACKAGE_FOLDER, "package.json"), "utf8")).version;
}
