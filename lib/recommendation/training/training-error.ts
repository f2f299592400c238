import type { ObjectStore } from "../../aws/object-store.ts";
import { readManifest } from "../etl/run-files.ts";
import type { Manifest } from "../etl/tasks.ts";

/** A failure that a retry cannot fix. The execution reports the message, which says what to do, as its cause. */
export class TrainingError extends Error {
  override name = "TrainingError";
}

/** Reads the manifest of a run. Throws TrainingError if it has none. */
export async function requireManifest(store: ObjectStore, run: string): Promise<Manifest> {
  const manifest = await readManifest(store, run);
  if (manifest) return manifest;
  throw new TrainingError(`The run ${run} has no manifest: its ETL did not finish. Start the training again`);
}
