import type { RecipeKind } from "../../config/recipes.ts";
import type { Readiness, TrainingContext } from "./context.ts";
import { hasEnded, type RecipeProgress } from "./progress.ts";
import { type RecipeRun, stepRecipe } from "./recipe-step.ts";

/** All recipes a few steps on. Ready when each has come to its end, good or bad. */
export async function trainRecipes(
  input: RecipeRun & { run: string; recipes: readonly RecipeKind[]; progress: readonly RecipeProgress[] },
  context: TrainingContext,
): Promise<Readiness & { progress: RecipeProgress[] }> {
  const { run, recipes, origin, data } = input;
  const progress: RecipeProgress[] = [];
  // One after the other: the control plane takes few calls a second.
  for (const recipe of recipes) {
    const before = input.progress.find((one) => one.recipe === recipe);
    const ended = before !== undefined && hasEnded(before);
    progress.push(ended ? before : await stepRecipe(recipe, { origin, data }, before, context));
  }
  await context.state.note(run, { step: "recipes", detail: summary(progress), recipes: progress });
  const ready = progress.every(hasEnded);
  return { ready, seconds: ready ? 0 : context.looks.recipes, progress };
}

function summary(progress: readonly RecipeProgress[]): string {
  return progress
    .map(
      ({ recipe, stage, status }) => `${recipe}: ${hasEnded({ recipe, stage, status }) ? stage : `${stage} ${status}`}`,
    )
    .join(", ");
}
