import { readManifest } from "../etl/manifest.ts";
import type { EventCheck } from "../etl/settings.ts";
import type { TrainingContext } from "./context.ts";
import { dataDigest } from "./data-digest.ts";
import { lacks } from "./minimums.ts";
import { TrainingError } from "./training-error.ts";

/** Checks that a run's data is enough for every recipe, and gives the name of the data. Throws TrainingError. */
export async function checkData(
  run: string,
  checks: readonly EventCheck[],
  { store }: Pick<TrainingContext, "store">,
): Promise<{ data: string }> {
  const manifest = await readManifest(store, run);
  if (!manifest) throw new TrainingError(`The run ${run} has no manifest: its ETL did not end`);
  const lacking = lacks(manifest, checks);
  if (lacking.length > 0) {
    const { from, to } = manifest;
    throw new TrainingError(
      `There is not enough data to train, of ${from} to ${to}. ${lacking.join(". ")}. Nothing was imported`,
    );
  }
  return { data: await dataDigest(manifest, store) };
}
