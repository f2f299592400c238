import { DeleteSolutionCommand, ListSolutionsCommand } from "@aws-sdk/client-personalize";
import { ifFree, ifThere } from "../../aws/errors.ts";
import { RECIPE_KINDS, type RecipeKind } from "../../config/recipes.ts";
import { campaignArn, describeCampaign } from "../../personalize/resources/campaign.ts";
import { datasetGroupArn } from "../../personalize/resources/dataset-group.ts";
import { recipeOfSolution } from "../../personalize/resources/inventory.ts";
import { allPages } from "../../personalize/resources/personalize.ts";
import { isMoving } from "../../personalize/resources/waiting.ts";
import type { TrainingContext } from "./context.ts";
import type { RecipeProgress } from "./progress.ts";
import { solutionInput } from "./solution-input.ts";
import { TrainingError } from "./training-error.ts";

/** What a training came to. */
export interface Finished {
  run: string;
  recipes: RecipeProgress[];
  /** Names of superseded solutions whose removal has begun. */
  removed: string[];
}

/**
 * Removes what the recipes that were switched have left behind, and all of those that are no longer configured; gives the
 * lock back. Throws TrainingError with the
 * reasons when a recipe failed: started again, only that one is trained.
 */
export async function finish(
  run: string,
  progress: readonly RecipeProgress[],
  context: TrainingContext,
): Promise<Finished> {
  const done = progress.filter(({ stage }) => stage === "done").map(({ recipe }) => recipe);
  const removed = await removeSuperseded(done, context);
  const bad = progress.filter(({ stage }) => stage === "failed");
  if (bad.length > 0) {
    const reasons = bad.map(({ recipe, status }) => `${recipe}: ${status}`);
    const good = progress.length - bad.length;
    throw new TrainingError(
      `${bad.length} of ${progress.length} recipes could not be trained. ${reasons.join("; ")}.` +
        `${good > 0 ? " The others are finished, and are not trained again when you start it anew with the same data" : ""}`,
    );
  }
  await context.state.release(run);
  return { run, recipes: [...progress], removed };
}

/**
 * Removes the solutions of recipes that neither serve nor are configured, and forgets recipes that were taken out of
 * solution.yaml. What is still in use stays until next time: `deploy` removes the campaign of such a recipe.
 */
async function removeSuperseded(recipes: readonly RecipeKind[], context: TrainingContext): Promise<string[]> {
  const { personalize, names, settings, state } = context;
  const dropped = await droppedRecipes(context);
  const listed = await allPages(
    (nextToken) =>
      personalize.send(new ListSolutionsCommand({ datasetGroupArn: datasetGroupArn({ names }), nextToken })),
    (page) => page.solutions,
  );
  const removed: string[] = [];
  for (const { name = "", solutionArn = "", status } of listed) {
    const recipe = recipeOfSolution(names, name);
    if (!recipe || isMoving(status)) continue;
    const training = settings.recipes[recipe];
    if (training) {
      if (!recipes.includes(recipe) || name === solutionInput(names, recipe, training).name) continue;
      const active = (await state.recipe(recipe))?.active?.version;
      if (active?.startsWith(`${solutionArn}/`)) continue;
    } else if (!dropped.includes(recipe)) continue;
    const deleted = await ifFree(
      ifThere(personalize.send(new DeleteSolutionCommand({ solutionArn }))).then((found) => found ?? {}),
    );
    if (deleted) removed.push(name);
  }
  await state.forget(dropped);
  return removed;
}

/** Recipes that are not configured and have no campaign any more. */
async function droppedRecipes({ personalize, names, settings }: TrainingContext): Promise<RecipeKind[]> {
  const dropped: RecipeKind[] = [];
  for (const recipe of RECIPE_KINDS) {
    if (settings.recipes[recipe]) continue;
    if (!(await describeCampaign(personalize, campaignArn({ names }, recipe)))) dropped.push(recipe);
  }
  return dropped;
}
