import { randomUUID } from "node:crypto";
import { totalmem } from "node:os";
import type { SFNClient } from "@aws-sdk/client-sfn";
import * as v from "valibot";
import { RECIPE_KINDS, type RecipeKind } from "../../lib/platform/contract/recommendation.ts";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import type { Finished } from "../../lib/recommendation/training/finish.ts";
import type { TrainingInput } from "../../lib/recommendation/training/task.ts";
import { nearest } from "../../lib/settings/nearest.ts";
import { TRAINING_MODES, type TrainingMode } from "../../lib/settings/recipes.ts";
import { defineCommand } from "../command.ts";
import { flag, local, maybe, option } from "../options.ts";
import { pollMs } from "../project.ts";
import { followExecution, POLL_MS, type Started, startExecution } from "../recommendation/follow-execution.ts";
import { readTraining } from "../recommendation/status.ts";
import { openTarget, type Target } from "../recommendation/target.ts";
import { shownTime } from "../terminal.ts";

const LEAST_MEMORY = 4 * 1_024 ** 3;

/** How the outcome of a recipe is printed. */
const ENDS = { done: "active", held: "held back" } as const;

/** `relevance train`: starts a training, or switches to models that were held back. With --wait, follows it. */
export const command = defineCommand({
  example: [
    "relevance train --recipes user_personalization,similar_items --training-mode init --wait",
    "relevance train --training-mode update_dataset_group",
    "relevance train --accept similar_items",
  ].join("\n  "),
  json: true,
  options: {
    recipes: option(
      "--recipes <names>",
      `recipes, separated by commas: ${RECIPE_KINDS.join(", ")} (default: all configured)`,
      maybe,
    ),
    trainingMode: option(
      "--training-mode <mode>",
      "required to train; update_dataset_group is a retraining that uses IMPRESSION",
      v.optional(v.picklist(TRAINING_MODES)),
      { choices: TRAINING_MODES },
    ),
    wait: flag("--wait", "wait for the end and show progress"),
    acceptMissing: flag("--accept-missing", "train even though accepted events are missing in the bucket"),
    accept: option(
      "--accept [recipes]",
      "switch to the newest models that the metric gate held back, without training (default: all of them)",
      v.optional(v.union([v.literal(true), v.string()])),
      { conflicts: ["recipes", "trainingMode", "acceptMissing"] },
    ),
    ...local,
  },
  run: async ({ conf, local, json, wait, ...options }, context) => {
    const { terminal } = context;
    const target = await openTarget({ conf, local }, context);
    const input = inputOf(options, target);
    const what = input.recipes ? input.recipes.join(", ") || "the built-in engine" : "all models that are held back";
    if (totalmem() < LEAST_MEMORY) terminal.note("This machine has less than 4 GB of memory, which the tool needs.");
    const { SFNClient } = await import("@aws-sdk/client-sfn");
    const sfn = new SFNClient({ ...target.sdk, maxAttempts: 3 });
    const started = await startTraining(target, sfn, input);
    if (!wait) {
      if (json) terminal.printJson({ execution: started });
      else {
        terminal.print(`Training ${started.name} has started: ${what}\n${started.arn}`);
        terminal.note(`\`relevance status${local ? " --local" : ""}\` shows its progress.`);
      }
      return 0;
    }
    terminal.note(`Training ${started.name} has started: ${what}. Ctrl-C leaves it running.`);
    const finished = (await followExecution("training", started, {
      sfn,
      state: target.state,
      note: terminal.note,
      intervalMs: pollMs(POLL_MS, target),
    })) as Finished;
    if (json) terminal.printJson({ execution: started, ...finished });
    else {
      for (const { recipe, stage, status } of finished.recipes) {
        const end = stage === "held" ? terminal.colors.yellow(ENDS.held) : terminal.colors.green(ENDS.done);
        terminal.print(`${recipe}: the new version is ${end} (${status})`);
      }
      terminal.note(finished.summary);
      const held = finished.recipes.filter(({ stage }) => stage === "held").map(({ recipe }) => recipe);
      if (held.length > 0) {
        terminal.note(`To switch anyway: relevance train --accept ${held.join(",")}${local ? " --local" : ""}`);
      }
    }
  },
});

interface TrainOptions {
  recipes?: string | undefined;
  trainingMode?: TrainingMode | undefined;
  acceptMissing: boolean;
  accept?: string | true | undefined;
}

/** Returns the input of the execution. Throws UsageError if no mode is given or a recipe is not configured. */
function inputOf({ recipes, trainingMode, acceptMissing, accept }: TrainOptions, target: Target): TrainingInput {
  if (accept !== undefined) {
    return { mode: "accept", ...(accept !== true && { recipes: chosenRecipes("--accept", accept, target) }) };
  }
  if (trainingMode === undefined) {
    throw new UsageError(`--training-mode is missing: ${TRAINING_MODES.join(" or ")}`);
  }
  return {
    mode: trainingMode,
    recipes: recipes === undefined ? configuredRecipes(target) : chosenRecipes("--recipes", recipes, target),
    ...(acceptMissing && { accept_missing: true }),
  };
}

function configuredRecipes({ recommendation }: Target): RecipeKind[] {
  return RECIPE_KINDS.filter((kind) => recommendation.solution.recipes[kind] !== undefined);
}

function chosenRecipes(option: string, given: string, target: Target): RecipeKind[] {
  const configured = configuredRecipes(target);
  const words = given.split(",").map((word) => word.trim());
  for (const word of words) {
    if (configured.some((kind) => kind === word)) continue;
    const close = nearest(word, configured);
    const advice = close === undefined ? "" : `; did you mean ${close}?`;
    const isKnown = RECIPE_KINDS.some((kind) => kind === word);
    throw new UsageError(
      `${option}: ${JSON.stringify(word)} is ${isKnown ? "not configured in solution.yaml" : "not a recipe"}; ` +
        `there are ${configured.join(", ")}${advice}`,
    );
  }
  return configured.filter((kind) => words.includes(kind));
}

/** Starts a training. Throws Failure if another one is running or the service is not deployed. */
async function startTraining(target: Target, sfn: SFNClient, input: TrainingInput): Promise<Started> {
  const { names, isDev } = target;
  const other = await readTraining(target);
  if (other?.running) {
    throw new Failure(
      `The training ${other.run} has been running since ${shownTime(other.startedAt)}: wait for it, \`relevance status\` shows its progress`,
    );
  }
  const name = `${input.mode}-${new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14)}-${randomUUID().slice(0, 4)}`;
  const started = await startExecution("training", { sfn, names }, name, input);
  if (started) return started;
  const remedy = isDev ? "start `make dev` with a recommendation service" : "run `relevance deploy` first";
  throw new Failure(`There is no state machine ${names.stateMachine("training")}: ${remedy}`);
}
