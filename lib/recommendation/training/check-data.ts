import { readManifest } from "../etl/manifest.ts";
import type { EventCheck } from "../etl/settings.ts";
import type { TrainingContext } from "./context.ts";
import { dataDigest } from "./data-digest.ts";
import { lacks } from "./minimums.ts";
import { noManifest, TrainingError } from "./training-error.ts";

/** What the next steps need to know about the data of a run. */
export interface CheckedData {
  /** Digest of the data. */
  data: string;
  /** By recipe: the number of users with at least two interactions that the recipe learns from. */
  users: Record<string, number>;
}

/** Checks that a run has enough data to train every recipe. Throws TrainingError if it does not. */
export async function checkData(
  run: string,
  checks: readonly EventCheck[],
  { store }: Pick<TrainingContext, "store">,
): Promise<CheckedData> {
  const manifest = await readManifest(store, run);
  if (!manifest) throw new TrainingError(noManifest(run));
  const lacking = lacks(manifest, checks);
  if (lacking.length > 0) {
    const { from, to } = manifest;
    throw new TrainingError(
      `There is not enough data to train from ${from} to ${to}. ${lacking.join(". ")}. Nothing was imported. ` +
        "Upload more events, or change target_event_type or event_value_threshold in solution.yaml and deploy",
    );
  }
  const users = manifest.checks.map(({ name, users_with_two }) => [name, users_with_two] as const);
  return { data: await dataDigest(manifest, store), users: Object.fromEntries(users) };
}
