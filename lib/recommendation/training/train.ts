import { ManagerError } from "../../personalize/resources/personalize.ts";
import { isNamed } from "../../platform/aws/errors.ts";
import type { RecipeKind } from "../../platform/contract/recommendation.ts";
import type { Readiness, RecipeRun, TrainingContext } from "./context.ts";
import type { RecipeTraining } from "./settings.ts";
import { solutionInput, stepSolution, stepVersion } from "./solution.ts";
import { acceptVersion, switchVersion, type Trained } from "./switch-version.ts";
import { hasEnded, type RecipeProgress, summaryOf } from "./task.ts";

/** The progress of a run's recipes. Poll again unless `ready`. */
type RecipesProgress = Readiness & { progress: RecipeProgress[] };

/** Input of a training run. */
interface TrainInput extends RecipeRun {
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
 * calls a second. An error that a retry cannot fix fails only its recipe; any other error is thrown, and the state
 * machine retries.
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
    else {
      try {
        after.push(await steps(before, recipe, training));
      } catch (error) {
        if (!isFinal(error)) throw error;
        const version = before?.version === undefined ? {} : { version: before.version };
        after.push({ recipe, stage: "failed", status: (error as Error).message, ...version });
      }
    }
  }
  return after;
}

async function report(run: string, progress: RecipeProgress[], context: TrainingContext): Promise<RecipesProgress> {
  await context.state.note(run, { step: "recipes", detail: summaryOf(progress), recipes: progress });
  const ready = progress.every(hasEnded);
  return { ready, seconds: ready ? 0 : context.looks.recipes, progress };
}

/**
 * Advances one recipe towards a trained version, without waiting. Reads all state from Personalize and the training
 * table, so an interrupted call can be repeated.
 */
async function trainVersion(
  recipe: RecipeKind,
  training: RecipeTraining,
  run: RecipeRun,
  before: RecipeProgress | undefined,
  { personalize, names, settings, state }: TrainingContext,
): Promise<RecipeProgress> {
  const input = solutionInput(names, recipe, training, settings.tags);
  const last = (await state.recipe(recipe))?.last;
  if (last?.origin === run.origin && last.data === run.data && last.solution === input.name) {
    return { recipe, stage: last.outcome, status: last.reason, version: last.version };
  }
  const solutionArn = names.arn("personalize", `solution/${input.name}`);
  const solution = await stepSolution(personalize, input, solutionArn, before?.stage === "solution");
  if ("moving" in solution) return { recipe, stage: "solution", status: solution.moving };

  const version = await stepVersion(personalize, solutionArn, `${run.origin} ${run.data}`, before?.version);
  if ("found" in version) return { recipe, stage: "trained", status: "", version: version.found };
  return {
    recipe,
    stage: "version",
    status: version.moving,
    ...(version.version !== undefined && { version: version.version }),
  };
}

/** Returns whether repeating the call would fail in the same way. */
function isFinal(error: unknown): boolean {
  const names = ["InvalidInputException", "LimitExceededException", "ResourceNotFoundException"];
  return error instanceof ManagerError || names.some((name) => isNamed(error, name));
}
