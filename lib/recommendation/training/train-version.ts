import { isNamed } from "../../aws/errors.ts";
import type { RecipeKind } from "../../config/recipes.ts";
import { ManagerError } from "../../personalize/resources/personalize.ts";
import type { TrainingContext } from "./context.ts";
import type { RecipeProgress } from "./progress.ts";
import type { RecipeTraining } from "./settings.ts";
import { solutionInput } from "./solution-input.ts";
import { stepSolution, stepVersion } from "./solution-step.ts";

/** Identifies a training: its chain of runs, and the data it trains on. */
export interface RecipeRun {
  origin: string;
  /** Digest of the data. */
  data: string;
}

/**
 * Advances one recipe towards a trained version, without waiting. Reads all state from Personalize and the training
 * table, so an interrupted call can be repeated.
 */
export async function trainVersion(
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

/**
 * Runs the steps of one recipe. An error that a retry cannot fix fails only this recipe; any other error is thrown, and
 * the state machine retries.
 */
export async function failingAlone(
  recipe: RecipeKind,
  before: RecipeProgress | undefined,
  steps: () => Promise<RecipeProgress>,
): Promise<RecipeProgress> {
  try {
    return await steps();
  } catch (error) {
    if (!isFinal(error)) throw error;
    const version = before?.version === undefined ? {} : { version: before.version };
    return { recipe, stage: "failed", status: (error as Error).message, ...version };
  }
}

/** Returns whether repeating the call would fail in the same way. */
function isFinal(error: unknown): boolean {
  const names = ["InvalidInputException", "LimitExceededException", "ResourceNotFoundException"];
  return error instanceof ManagerError || names.some((name) => isNamed(error, name));
}
