import type { RecipeKind } from "../../config/recipes.ts";
import type { Readiness, TrainingContext } from "./context.ts";
import { hasEnded, type RecipeProgress, summaryOf } from "./progress.ts";
import type { RecipeTraining } from "./settings.ts";
import { acceptVersion, switchVersion, type Trained } from "./switch-version.ts";
import { failingAlone, type RecipeRun, trainVersion } from "./train-version.ts";

/** The progress of a run's recipes. Poll again unless `ready`. */
export type RecipesProgress = Readiness & { progress: RecipeProgress[] };

/** What a training run trains. */
export interface TrainInput extends RecipeRun {
  run: string;
  recipes: readonly RecipeKind[];
  /** By recipe: the number of users with at least two interactions that the recipe learns from. */
  users: Readonly<Record<string, number>>;
  progress: readonly RecipeProgress[];
}

/**
 * Advances all recipes, without waiting. First trains a version of each. Once every recipe has a version or has failed,
 * switches those that pass the metric gate, together. Ready when every recipe has ended.
 */
export async function trainRecipes(input: TrainInput, context: TrainingContext): Promise<RecipesProgress> {
  const { run, recipes, origin, data, users } = input;
  const trained = await eachRecipe(recipes, input.progress, context, (before, recipe, training) =>
    before?.stage === "trained" || before?.stage === "campaign"
      ? before
      : trainVersion(recipe, training, { origin, data }, before, context),
  );
  if (!trained.every((one) => hasEnded(one) || isTrained(one))) return report(run, trained, context);
  const switched = await eachRecipe(recipes, trained, context, (before, recipe, training) =>
    switchVersion(before as Trained, training, { origin, data, users: users[recipe] ?? 0 }, context),
  );
  return report(run, switched, context);
}

/** Advances the recipes whose held-back versions were accepted, without waiting. Ready when every recipe has ended. */
export async function acceptVersions(
  { run, progress }: { run: string; progress: readonly RecipeProgress[] },
  context: TrainingContext,
): Promise<RecipesProgress> {
  const recipes = progress.map(({ recipe }) => recipe);
  const accepted = await eachRecipe(recipes, progress, context, (before, _, training) =>
    acceptVersion(before as Trained, training, context),
  );
  return report(run, accepted, context);
}

const isTrained = ({ stage }: RecipeProgress) => stage === "trained" || stage === "campaign";

/**
 * Runs the steps of every recipe that has not ended. Recipes run one at a time, because the control plane allows few
 * calls a second.
 */
async function eachRecipe(
  recipes: readonly RecipeKind[],
  progress: readonly RecipeProgress[],
  { settings }: TrainingContext,
  steps: (
    before: RecipeProgress | undefined,
    recipe: RecipeKind,
    training: RecipeTraining,
  ) => RecipeProgress | Promise<RecipeProgress>,
): Promise<RecipeProgress[]> {
  const after: RecipeProgress[] = [];
  for (const recipe of recipes) {
    const before = progress.find((one) => one.recipe === recipe);
    const training = settings.recipes[recipe];
    if (before && hasEnded(before)) after.push(before);
    else if (!training) after.push({ recipe, stage: "failed", status: "it is no longer configured" });
    else after.push(await failingAlone(recipe, before, async () => steps(before, recipe, training)));
  }
  return after;
}

async function report(run: string, progress: RecipeProgress[], context: TrainingContext): Promise<RecipesProgress> {
  await context.state.note(run, { step: "recipes", detail: summaryOf(progress), recipes: progress });
  const ready = progress.every(hasEnded);
  return { ready, seconds: ready ? 0 : context.looks.recipes, progress };
}
