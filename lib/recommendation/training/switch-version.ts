import { GetSolutionMetricsCommand } from "@aws-sdk/client-personalize";
import { isThere, stepCampaign } from "../../personalize/resources/campaign.ts";
import type { Personalize } from "../../personalize/resources/personalize.ts";
import { ignoreNotFound } from "../../platform/aws/errors.ts";
import type { RecipeKind } from "../../platform/contract/recommendation.ts";
import { versionParameter } from "../../platform/naming/version-parameter.ts";
import { countLine } from "../../platform/telemetry/emf.ts";
import type { RecipeRun, TrainingContext } from "./context.ts";
import { GATE_METRIC, gate, measureOf } from "./gate.ts";
import type { RecipeTraining } from "./settings.ts";
import { solutionInput } from "./solution.ts";
import type { JudgedVersion, RecipeState } from "./state.ts";
import type { RecipeProgress } from "./task.ts";

/** Name of the metric that counts versions held back, by `Project` and `Recipe`. An alarm watches it. */
export const HELD_MODELS = "HeldModels";

/** The progress of a recipe whose version is trained. */
export type Trained = RecipeProgress & { version: string };

/**
 * Passes one recipe's trained version through the metric gate, then advances its campaign towards serving it, without
 * waiting, or holds the version back. The gate compares with the version in the training table, not with the
 * campaign's: the table changes only when the recipe ends, so every call makes the same decision.
 */
export async function switchVersion(
  trained: Trained,
  training: RecipeTraining,
  run: RecipeRun & { users: number },
  context: TrainingContext,
): Promise<RecipeProgress> {
  const { recipe, version } = trained;
  const { personalize, names, settings, state, logLookbackDays } = context;
  const known = (await state.recipe(recipe)) ?? { held: [], revision: 0 };
  const ndcg = await ndcgOf(personalize, version);
  const candidate = {
    ...(ndcg !== undefined && { ndcg }),
    measure: measureOf(training, logLookbackDays, settings.event_types),
  };
  const decision = gate({
    candidate,
    active: known.active?.version === version ? undefined : known.active,
    users: run.users,
    heldBefore: known.held.length,
    ...settings.metric_gate,
  });
  const judged = { version, reason: decision.reason, ...candidate };
  const solution = solutionInput(names, recipe, training).name;
  const last = { origin: run.origin, data: run.data, solution, version, reason: decision.reason };
  if (!decision.switch) return hold(recipe, known, judged, last, context);
  const status = await serve(trained, training, context);
  if (status !== undefined) return { recipe, stage: "campaign", status, version };
  return conclude(recipe, known, judged, { ...last, outcome: "done" }, context);
}

/** Advances a campaign towards serving a version that was held back, without waiting. */
export async function acceptVersion(
  trained: Trained,
  training: RecipeTraining,
  context: TrainingContext,
): Promise<RecipeProgress> {
  const { recipe, version } = trained;
  const known = await context.state.recipe(recipe);
  const judged = known?.held.find((one) => one.version === version);
  // An earlier call has already finished, but its answer was lost.
  if (!known || !judged) return { recipe, stage: "done", status: ACCEPTED, version };
  const status = await serve(trained, training, context);
  if (status !== undefined) return { recipe, stage: "campaign", status, version };
  const { last } = known;
  const concluded = last?.version === version ? { ...last, outcome: "done" as const, reason: ACCEPTED } : last;
  return conclude(recipe, known, { ...judged, reason: ACCEPTED }, concluded, context);
}

const ACCEPTED = "accepted with relevance train --accept";

async function ndcgOf(personalize: Personalize, solutionVersionArn: string): Promise<number | undefined> {
  const found = await ignoreNotFound(personalize.send(new GetSolutionMetricsCommand({ solutionVersionArn })));
  return found?.metrics?.[GATE_METRIC];
}

/** Creates or updates the campaign. Returns its status while it is changing, or undefined once it serves requests. */
async function serve(
  { recipe, version: solutionVersionArn, stage, status }: Trained,
  { min_provisioned_tps, exploration }: RecipeTraining,
  { personalize, names, settings, pointers }: TrainingContext,
): Promise<string | undefined> {
  const arn = names.campaignArn(recipe);
  const isFirst = stage !== "campaign";
  const target = {
    name: names.campaign(recipe),
    arn,
    solutionVersionArn,
    minProvisionedTps: min_provisioned_tps,
    exploration,
    tags: settings.tags,
    wasThere: !isFirst && isThere(status),
  };
  const step = await stepCampaign(personalize, target, isFirst);
  if (step.state === "failed") throw step.error;
  if (step.state === "moving") return step.status;
  const parameter = names.campaignParameter(recipe);
  await pointers.write(versionParameter(parameter), solutionVersionArn);
  await pointers.write(parameter, arn);
  return undefined;
}

/** Records the version that the campaign now serves and how the recipe's training ended. */
async function conclude(
  recipe: RecipeKind,
  known: RecipeState,
  active: JudgedVersion,
  last: RecipeState["last"],
  { state }: TrainingContext,
): Promise<RecipeProgress> {
  await state.saveRecipe(recipe, { active, held: [], ...(last && { last }), revision: known.revision + 1 });
  return { recipe, stage: "done", status: active.reason, version: active.version };
}

/** Records that a version was held back, and counts and logs it once. */
async function hold(
  recipe: RecipeKind,
  known: RecipeState,
  judged: JudgedVersion,
  last: Omit<NonNullable<RecipeState["last"]>, "outcome">,
  { state, settings, print, now }: TrainingContext,
): Promise<RecipeProgress> {
  const { version, reason } = judged;
  const written = await state.saveRecipe(recipe, {
    ...known,
    held: [...known.held, judged],
    last: { ...last, outcome: "held" },
    revision: known.revision + 1,
  });
  if (written) {
    print(countLine({ Project: settings.project, Recipe: recipe }, HELD_MODELS, 1, now()));
    print(JSON.stringify({ level: "WARN", message: `${version} is held back: ${reason}`, recipe, version }));
  }
  return { recipe, stage: "held", status: reason, version };
}
