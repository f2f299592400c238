import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Artifact, Artifacts } from "./input.ts";

/** Returns the archives that `make build` wrote to a folder, `<name>.zip` each. */
export function readArtifacts(folder: string): Artifacts {
  const found = globSync("*.zip", { cwd: folder }).map((file): [string, Artifact] => {
    const zip = join(folder, file);
    return [basename(file, ".zip"), { zip, sha256: createHash("sha256").update(readFileSync(zip)).digest("base64") }];
  });
  return Object.fromEntries(found);
}
