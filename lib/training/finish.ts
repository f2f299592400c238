import { DeleteSolutionCommand, ListSolutionsCommand } from "@aws-sdk/client-personalize";
import type { RecipeKind } from "../config/recipes.ts";
import { datasetGroupArn } from "../personalize-manager/dataset-group.ts";
import { recipeOfSolution } from "../personalize-manager/inventory.ts";
import { allPages, ifFree, ifThere } from "../personalize-manager/personalize.ts";
import { isMoving } from "../personalize-manager/waiting.ts";
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
 * Removes what the recipes that were switched have left behind, and gives the lock back. Throws TrainingError with the
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

/** Removes the solutions of recipes that neither serve nor are configured. One that is still in use stays until next time. */
async function removeSuperseded(recipes: readonly RecipeKind[], context: TrainingContext): Promise<string[]> {
  const { personalize, names, settings, state } = context;
  const listed = await allPages(
    (nextToken) =>
      personalize.send(new ListSolutionsCommand({ datasetGroupArn: datasetGroupArn({ names }), nextToken })),
    (page) => page.solutions,
  );
  const removed: string[] = [];
  for (const { name = "", solutionArn = "", status } of listed) {
    const recipe = recipeOfSolution(names, name);
    const training = recipe && settings.recipes[recipe];
    if (!recipe || !training || !recipes.includes(recipe) || isMoving(status)) continue;
    if (name === solutionInput(names, recipe, training).name) continue;
    const active = (await state.recipe(recipe))?.active?.version;
    if (active?.startsWith(`${solutionArn}/`)) continue;
    const deleted = await ifFree(
      ifThere(personalize.send(new DeleteSolutionCommand({ solutionArn }))).then((found) => found ?? {}),
    );
    if (deleted) removed.push(name);
  }
  return removed;
}
