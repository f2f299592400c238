import { GetSolutionMetricsCommand } from "@aws-sdk/client-personalize";
import { ifThere, isNamed } from "../../aws/errors.ts";
import type { RecipeKind } from "../../config/recipes.ts";
import { metricLine } from "../../core/telemetry/emf.ts";
import { campaignArn, describeCampaign, stepCampaign } from "../../personalize/resources/campaign.ts";
import { ManagerError } from "../../personalize/resources/manager-error.ts";
import type { Personalize } from "../../personalize/resources/personalize.ts";
import type { TrainingContext } from "./context.ts";
import { GATE_METRIC, type GateDecision, gate } from "./gate.ts";
import type { RecipeProgress } from "./progress.ts";
import type { RecipeTraining } from "./settings.ts";
import { type SolutionInput, solutionInput } from "./solution-input.ts";
import { stepSolution, stepVersion } from "./solution-step.ts";
import type { RecipeState } from "./state.ts";

/** Metric, by `Project` and `Recipe`, that counts versions which were held back; an alarm watches it. */
export const HELD_MODELS = "HeldModels";

/** The run that a recipe is trained in. */
export interface RecipeRun {
  origin: string;
  /** Name of the data. */
  data: string;
}

/**
 * Takes the next steps of one recipe, as far as they go without waiting: solution, version, metric gate, campaign. All
 * that it needs to know is in Personalize and in the training table, so a call that is cut off is done again without
 * harm. What Personalize refuses for good ends this recipe and not the others.
 */
export async function stepRecipe(
  recipe: RecipeKind,
  run: RecipeRun,
  before: RecipeProgress | undefined,
  context: TrainingContext,
): Promise<RecipeProgress> {
  const training = context.settings.recipes[recipe];
  if (!training) return { recipe, stage: "failed", status: "it is not configured any more" };
  try {
    return await advance(recipe, training, run, before, context);
  } catch (error) {
    if (!isFinal(error)) throw error;
    const version = before?.version === undefined ? {} : { version: before.version };
    return { recipe, stage: "failed", status: (error as Error).message, ...version };
  }
}

async function advance(
  recipe: RecipeKind,
  training: RecipeTraining,
  run: RecipeRun,
  before: RecipeProgress | undefined,
  context: TrainingContext,
): Promise<RecipeProgress> {
  const { personalize, names, settings, state } = context;
  const input = solutionInput(names, recipe, training, settings.tags);
  const known = (await state.recipe(recipe)) ?? { held: [], revision: 0 };
  const { last } = known;
  if (last?.origin === run.origin && last.data === run.data && last.solution === input.name) {
    return { recipe, stage: last.outcome, status: last.reason, version: last.version };
  }

  const solutionArn = names.arn("personalize", `solution/${input.name}`);
  const solution = await stepSolution(personalize, input, solutionArn, before?.stage === "solution");
  if ("moving" in solution) return { recipe, stage: "solution", status: solution.moving };

  const trained = await stepVersion(personalize, solutionArn, `${run.origin} ${run.data}`, before?.version);
  if ("moving" in trained) {
    const version = trained.version === undefined ? {} : { version: trained.version };
    return { recipe, stage: "version", status: trained.moving, ...version };
  }

  const version = trained.found;
  const arn = campaignArn({ names }, recipe);
  const judged = await judge(personalize, arn, version, known, settings.metric_gate);
  const end = (outcome: "done" | "held") =>
    conclude({ recipe, run, input, version, known, judged, outcome, name: names.campaign(recipe) }, context);
  if (!judged.switch) return end("held");

  const target = {
    name: names.campaign(recipe),
    arn,
    solutionVersionArn: version,
    minProvisionedTps: training.min_provisioned_tps,
    tags: settings.tags,
  };
  const step = await stepCampaign(personalize, target, before?.stage !== "campaign");
  if (step.state === "failed") throw step.error;
  if (step.state === "moving") return { recipe, stage: "campaign", status: step.status, version };
  await context.pointers.write(names.campaignParameter(recipe), arn);
  return end("done");
}

/**
 * Compares a version with the one that serves. By the table, which changes when the recipe is concluded, and not by the
 * campaign, which changes in between: so the answer is the same however often it is asked for.
 */
async function judge(
  personalize: Personalize,
  arn: string,
  version: string,
  { active, held }: RecipeState,
  { tolerance, strict }: { tolerance: number; strict: boolean },
): Promise<GateDecision & { ndcg: number | undefined }> {
  const candidate = await ndcgOf(personalize, version);
  const serving = active?.version ?? (await describeCampaign(personalize, arn))?.solutionVersionArn;
  const compared = serving === undefined || serving === version ? undefined : await ndcgOf(personalize, serving);
  return { ...gate({ candidate, active: compared, tolerance, strict, heldBefore: held.length }), ndcg: candidate };
}

async function ndcgOf(personalize: Personalize, solutionVersionArn: string): Promise<number | undefined> {
  const found = await ifThere(personalize.send(new GetSolutionMetricsCommand({ solutionVersionArn })));
  return found?.metrics?.[GATE_METRIC];
}

interface Conclusion {
  recipe: RecipeKind;
  run: RecipeRun;
  input: SolutionInput;
  version: string;
  known: RecipeState;
  judged: GateDecision & { ndcg: number | undefined };
  outcome: "done" | "held";
  name: string;
}

/** Writes down how a recipe ended, once; tells the alarm of a version that was held back. */
async function conclude(
  { recipe, run, input, version, known, judged, outcome }: Conclusion,
  { state, settings, print, now }: TrainingContext,
): Promise<RecipeProgress> {
  const active = { version, ...(judged.ndcg !== undefined && { ndcg: judged.ndcg }) };
  const next: RecipeState = {
    ...known,
    ...(outcome === "done" ? { active, held: [] } : { held: [...known.held, version] }),
    last: { ...run, solution: input.name, version, outcome, reason: judged.reason },
    revision: known.revision + 1,
  };
  const written = await state.saveRecipe(recipe, next);
  if (written && outcome === "held") {
    const metric = { name: HELD_MODELS, unit: "Count", value: 1 } as const;
    print(metricLine({ Project: settings.project, Recipe: recipe }, [metric], now()));
    print(JSON.stringify({ level: "WARN", message: `${version} is held back: ${judged.reason}`, recipe, version }));
  }
  return { recipe, stage: outcome, status: judged.reason, version };
}

/** Whether the same call would be told the same. */
function isFinal(error: unknown): boolean {
  const names = ["InvalidInputException", "LimitExceededException", "ResourceNotFoundException"];
  return error instanceof ManagerError || names.some((name) => isNamed(error, name));
}
