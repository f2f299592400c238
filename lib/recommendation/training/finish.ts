import { DeleteSolutionCommand } from "@aws-sdk/client-personalize";
import { describeCampaign } from "../../personalize/resources/campaign.ts";
import { recipeOfSolution } from "../../personalize/resources/inventory.ts";
import { isMoving } from "../../personalize/resources/managing.ts";
import { listSolutions } from "../../personalize/resources/personalize.ts";
import { isDeleted } from "../../platform/aws/errors.ts";
import { RECIPE_KINDS, type RecipeKind } from "../../platform/contract/recommendation.ts";
import { BuiltInReport } from "../built-in/report.ts";
import { findFile, runKeys } from "../etl/run-files.ts";
import { giveBack } from "./begin.ts";
import { type TrainingContext, TrainingError } from "./context.ts";
import { solutionInput } from "./solution.ts";
import type { RecipeProgress } from "./task.ts";
import { modelLine, yardstick } from "./yardstick.ts";

/** The result of a run. */
export interface Finished {
  run: string;
  recipes: RecipeProgress[];
  /**
   * States whether all recipes switched together, and if not, which ones still serve their earlier version. Then says
   * which events were left out.
   */
  summary: string;
  /** Names of the superseded solutions that are being deleted. */
  removed: string[];
}

/**
 * Deletes superseded solutions of the recipes that switched, and all solutions of recipes that are no longer
 * configured. Then releases the lock. If a recipe failed, throws TrainingError with the reasons and keeps the lock: the
 * next run then joins the chain and, with the same data, trains only that recipe.
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
    throw new TrainingError(
      `${bad.length} of ${progress.length} recipes could not be trained. ${reasons.join("; ")}. ${switched(progress)} ` +
        "Correct what the reasons name, then start the training again: with the same data only failed recipes are trained",
    );
  }
  await giveBack(run, context.state);
  const data = await context.state.data();
  const compared = data?.run === run ? await compareEngines(run, progress, context) : undefined;
  if (data && compared !== undefined) await context.state.saveData({ ...data, yardstick: compared });
  const texts = data?.run === run ? [data.large, data.left_out, data.unknown, data.untrained, compared] : [];
  const about = texts.filter((text) => text !== undefined);
  return {
    run,
    recipes: [...progress],
    summary: [switched(progress), ...about.map((text) => `${text}.`)].join(" "),
    removed,
  };
}

/** Compares the model for users that the run trained with the built-in engine. Undefined if the engine was not measured. */
async function compareEngines(
  run: string,
  progress: readonly RecipeProgress[],
  { store, state }: TrainingContext,
): Promise<string | undefined> {
  const report = await findFile(store, runKeys(run).builtIn, BuiltInReport);
  if (!report?.measured) return undefined;
  const version = progress.find(({ recipe }) => recipe === "user_personalization")?.version;
  const known = version === undefined ? undefined : await state.recipe("user_personalization");
  const judged = [known?.active, ...(known?.held ?? [])].find((one) => one?.version === version);
  return `${yardstick(report.measured, judged?.ndcg)}. ${modelLine(report)}`;
}

/** Describes which recipes of a run switched to their new versions. */
function switched(progress: readonly RecipeProgress[]): string {
  const named = (wanted: (one: RecipeProgress) => boolean) =>
    progress
      .filter(wanted)
      .map(({ recipe }) => recipe)
      .join(", ");
  if (progress.length === 0) return "No recipes are configured, so nothing was trained in Personalize.";
  const done = named(({ stage }) => stage === "done");
  const others = named(({ stage }) => stage !== "done");
  if (others === "") return "All recipes of this run serve their new versions.";
  if (done === "") return `No recipe was switched. Unchanged: ${others}.`;
  return `The recipes did not switch together. New versions: ${done}. Unchanged: ${others}.`;
}

/**
 * Deletes solutions of `recipes` that neither serve nor match the configuration, and the solutions and state of
 * recipes that were removed from solution.yaml. A solution that is still in use stays until the next training. The
 * campaign of a removed recipe is deleted by `deploy`.
 */
async function removeSuperseded(recipes: readonly RecipeKind[], context: TrainingContext): Promise<string[]> {
  const { personalize, names, settings, state } = context;
  const dropped = await droppedRecipes(context);
  const removed: string[] = [];
  for (const { name = "", solutionArn, status } of await listSolutions(personalize, names.datasetGroupArn())) {
    const recipe = recipeOfSolution(names, name);
    if (!recipe || isMoving(status)) continue;
    const training = settings.recipes[recipe];
    if (training) {
      if (!recipes.includes(recipe) || name === solutionInput(names, recipe, training).name) continue;
      const active = (await state.recipe(recipe))?.active?.version;
      if (active?.startsWith(`${solutionArn}/`)) continue;
    } else if (!dropped.includes(recipe)) continue;
    if (await isDeleted(personalize.send(new DeleteSolutionCommand({ solutionArn })))) removed.push(name);
  }
  await state.forget(dropped);
  return removed;
}

/** Returns the recipes that are not configured and have no campaign. */
async function droppedRecipes({ personalize, names, settings }: TrainingContext): Promise<RecipeKind[]> {
  const dropped: RecipeKind[] = [];
  for (const recipe of RECIPE_KINDS) {
    if (settings.recipes[recipe]) continue;
    if (!(await describeCampaign(personalize, names.campaignArn(recipe)))) dropped.push(recipe);
  }
  return dropped;
}
