import { RECIPE_KINDS, type RecipeKind } from "../../config/recipes.ts";
import type { Manifest } from "../etl/tasks.ts";
import type { TrainingContext } from "./context.ts";
import { TrainingError } from "./training-error.ts";

/**
 * Throws TrainingError if an import in mode init would train events twice. Once the first campaign serves, the API
 * sends events to Personalize as they come in, with their IMPRESSION. Personalize keeps those events across imports and
 * merges only equal ones, but mode init imports the same events without IMPRESSION.
 */
export async function requireInitial(
  { impressions_left_out: leftOut }: Pick<Manifest, "impressions_left_out">,
  context: Pick<TrainingContext, "state" | "pointers" | "names">,
): Promise<void> {
  // Always 0 in mode update_dataset_group.
  if (leftOut === 0) return;
  const recipe = await servedRecipe(context);
  if (recipe === undefined) return;
  throw new TrainingError(
    `${recipe} is trained already, so mode init would train events twice: ${leftOut.toLocaleString("en")} carry ` +
      "IMPRESSION, which init leaves out, while those that came in since went to Personalize with it. Nothing was " +
      "imported. Train with --training-mode update_dataset_group (in solution.yaml: retraining.training_mode)",
  );
}

/** Returns a recipe whose campaign serves or has served, if any. */
async function servedRecipe({
  state,
  pointers,
  names,
}: Pick<TrainingContext, "state" | "pointers" | "names">): Promise<RecipeKind | undefined> {
  for (const kind of RECIPE_KINDS) {
    // The pointer turns on the real-time path. The table also knows about a campaign that has been deleted.
    const pointer = await pointers.read(names.campaignParameter(kind));
    if (pointer?.startsWith("arn:") || (await state.recipe(kind))?.active) return kind;
  }
  return undefined;
}
