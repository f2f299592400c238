import type { ObjectStore } from "../../aws/object-store.ts";
import { findFile, runKeys } from "../etl/run-files.ts";
import { Manifest } from "../etl/tasks.ts";

/** A failure that a retry cannot fix. The execution reports the message, which says what to do, as its cause. */
export class TrainingError extends Error {
  override name = "TrainingError";
}

/** Reads the manifest of a run. Throws TrainingError if it has none. */
export async function requireManifest(store: ObjectStore, run: string): Promise<Manifest> {
  const manifest = await findFile(store, runKeys(run).manifest, Manifest);
  if (manifest) return manifest;
  throw new TrainingError(`The run ${run} has no manifest: its ETL did not finish. Start the training again`);
}
