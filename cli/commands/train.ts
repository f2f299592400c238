import { totalmem } from "node:os";
import { Option } from "commander";
import * as v from "valibot";
import { nearest } from "../../lib/config/nearest.ts";
import { RECIPE_KINDS, type RecipeKind } from "../../lib/config/recipes.ts";
import { TRAINING_MODES } from "../../lib/recommendation/etl/settings.ts";
import type { Finished } from "../../lib/recommendation/training/finish.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../errors.ts";
import { followExecution } from "../recommendation/follow-execution.ts";
import { startTraining } from "../recommendation/start-training.ts";
import { LOCAL_HELP, openTarget, type Target } from "../recommendation/target.ts";

/** Between two looks with --wait. */
const LOOK_MS = { aws: 10_000, local: 500 };

const LEAST_MEMORY = 4 * 1_024 ** 3;

/** Words of the ends of a recipe. */
const ENDS = { done: "active", held: "held back" } as const;

/** `relevance train`: starts a training, and follows it with --wait. */
export const train = defineCommand({
  example: [
    "relevance train --recipes user_personalization,similar_items --training-mode init --wait",
    "relevance train --training-mode update_dataset_group",
  ].join("\n  "),
  json: true,
  define: (command) => {
    command
      .option("--recipes <names>", `recipes with commas between: ${RECIPE_KINDS.join(", ")} (default: all configured)`)
      .addOption(
        new Option("--training-mode <mode>", "update_dataset_group is a retraining in which IMPRESSION is used")
          .choices(TRAINING_MODES)
          .makeOptionMandatory(),
      )
      .option("--wait", "wait for the end, and show progress")
      .option("--accept-missing", "train although accepted events are missing in the bucket")
      .option("--local", LOCAL_HELP);
  },
  options: {
    recipes: v.optional(v.string()),
    trainingMode: v.picklist(TRAINING_MODES),
    wait: v.optional(v.boolean(), false),
    acceptMissing: v.optional(v.boolean(), false),
    local: v.optional(v.boolean(), false),
  },
  run: async ({ conf, local, json, recipes, trainingMode, wait, acceptMissing }, context) => {
    const { terminal } = context;
    const target = await openTarget({ conf, local }, context);
    const chosen = chosenRecipes(recipes, target);
    if (totalmem() < LEAST_MEMORY) terminal.note("This machine has less than 4 GB of memory; the docs ask for that.");
    const { SFNClient } = await import("@aws-sdk/client-sfn");
    const sfn = new SFNClient({ ...target.sdk, maxAttempts: 3 });
    const started = await startTraining(target, sfn, {
      mode: trainingMode,
      recipes: chosen,
      ...(acceptMissing && { accept_missing: true }),
    });
    if (!wait) {
      if (json) terminal.printJson({ execution: started });
      else {
        terminal.print(`Training ${started.name} has begun: ${chosen.join(", ")}\n${started.arn}`);
        terminal.note(`\`relevance status${local ? " --local" : ""}\` shows where it is.`);
      }
      return 0;
    }
    terminal.note(`Training ${started.name} has begun: ${chosen.join(", ")}. Ctrl-C leaves it running.`);
    const finished = (await followExecution("training", started, {
      sfn,
      state: target.state,
      note: terminal.note,
      intervalMs: local || context.env.AWS_ENDPOINT_URL ? LOOK_MS.local : LOOK_MS.aws,
    })) as Finished;
    if (json) terminal.printJson({ execution: started, ...finished });
    else {
      for (const { recipe, stage, status } of finished.recipes) {
        const end = stage === "held" ? terminal.colors.yellow(ENDS.held) : terminal.colors.green(ENDS.done);
        terminal.print(`${recipe}: the new version is ${end} (${status})`);
      }
    }
    return 0;
  },
});

function chosenRecipes(given: string | undefined, { recommendation }: Target): RecipeKind[] {
  const configured = RECIPE_KINDS.filter((kind) => recommendation.solution.recipes[kind] !== undefined);
  if (given === undefined) return configured;
  const words = given.split(",").map((word) => word.trim());
  for (const word of words) {
    if (configured.some((kind) => kind === word)) continue;
    const close = nearest(word, configured);
    const advice = close === undefined ? "" : `; did you mean ${close}?`;
    const isKnown = RECIPE_KINDS.some((kind) => kind === word);
    throw new UsageError(
      `--recipes: ${JSON.stringify(word)} is ${isKnown ? "not configured in solution.yaml" : "no recipe"}, ` +
        `there are ${configured.join(", ")}${advice}`,
    );
  }
  return configured.filter((kind) => words.includes(kind));
}
