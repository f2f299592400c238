import * as v from "valibot";
import { RECIPE_KINDS } from "../../config/recipes.ts";

/** The progress of one recipe's training. It is part of the execution's state, so keep it small. */
export const RecipeProgress = v.strictObject({
  recipe: v.picklist(RECIPE_KINDS),
  /** `trained`: the version is ready and waits for those of the other recipes. */
  stage: v.picklist(["solution", "version", "trained", "campaign", "done", "held", "failed"]),
  /** The last status polled from Personalize, or why the recipe ended. */
  status: v.string(),
  /** ARN of the version that this run trains or accepts. */
  version: v.optional(v.string()),
});

export type RecipeProgress = v.InferOutput<typeof RecipeProgress>;

/** Returns whether a recipe has ended, successfully or not. */
export function hasEnded({ stage }: Pick<RecipeProgress, "stage">): boolean {
  return stage === "done" || stage === "held" || stage === "failed";
}

/** Summarizes all recipes on one line, for `status` and `train --wait`. */
export function summaryOf(progress: readonly RecipeProgress[]): string {
  return progress
    .map((one) => `${one.recipe}: ${hasEnded(one) ? one.stage : `${one.stage} ${one.status}`.trimEnd()}`)
    .join(", ");
}
