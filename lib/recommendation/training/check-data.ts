import { metadataFields } from "../../config/checks/schemas.ts";
import { readFile, runKeys } from "../etl/run-files.ts";
import type { EventCheck } from "../etl/tasks.ts";
import { RunPlan } from "../etl/tasks.ts";
import type { TrainingContext } from "./context.ts";
import { dataDigest } from "./data-digest.ts";
import { lacks, tooManyTypes } from "./minimums.ts";
import { requireManifest, TrainingError } from "./training-error.ts";

/** What the next steps need to know about the data of a run. */
export interface CheckedData {
  /** Digest of the data. */
  data: string;
  /** By recipe: the number of users with at least two interactions that the recipe learns from. */
  users: Record<string, number>;
}

/** Checks that Personalize takes a run's events and that every recipe has enough of them. Throws TrainingError if not. */
export async function checkData(
  run: string,
  checks: readonly EventCheck[],
  { store }: Pick<TrainingContext, "store">,
): Promise<CheckedData> {
  const manifest = await requireManifest(store, run);
  const lacking = lacks(manifest, checks);
  if (lacking.length > 0) {
    const { from, to } = manifest;
    throw new TrainingError(
      `There is not enough data to train from ${from} to ${to}. ${lacking.join(". ")}. Nothing was imported. ` +
        "Upload more events, or change target_event_type or event_value_threshold in solution.yaml and deploy",
    );
  }
  const { definitions } = await readFile(store, runKeys(run).plan, RunPlan);
  const names = definitions.schemas.interaction.fields.map(({ name }) => name);
  const many = tooManyTypes(manifest, metadataFields("interaction", names));
  if (many) throw new TrainingError(`${many}. Nothing was imported. Send fewer types, or fewer columns`);
  const users = manifest.checks.map(({ name, users_with_two }) => [name, users_with_two] as const);
  return { data: await dataDigest(manifest, store), users: Object.fromEntries(users) };
}
