import { resolve } from "node:path";
import { ModelFilesError } from "../lib/search/embeddings/model-files.ts";
import { syncModelFiles } from "./models.ts";

const ROOT = resolve(import.meta.dirname, "..");

/**
 * `make models`, with the variables HUB and REVISION. Exits with code 1 and advice if files cannot be downloaded or
 * differ.
 */
try {
  const { HUB, REVISION } = process.env;
  const report = await syncModelFiles({
    folder: resolve(ROOT, "models/sparse_v3"),
    lockFile: resolve(ROOT, "models.lock.json"),
    log: (line) => console.log(line),
    ...(HUB && { hub: HUB }),
    ...(REVISION && { revision: REVISION }),
  });
  console.log(
    `models/sparse_v3 is complete at revision ${report.revision}${report.locked ? "; checksums locked" : ""}`,
  );
} catch (error) {
  if (!(error instanceof ModelFilesError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
