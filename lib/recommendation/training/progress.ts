import * as v from "valibot";
import { RECIPE_KINDS } from "../../config/recipes.ts";

/** Where the training of one recipe is. It is part of the execution's state, so it is small. */
export const RecipeProgress = v.strictObject({
  recipe: v.picklist(RECIPE_KINDS),
  /** `trained`: the version is there and waits until those of the other recipes are. */
  stage: v.picklist(["solution", "version", "trained", "campaign", "done", "held", "failed"]),
  /** The status in Personalize that is polled, or why the recipe ended. */
  status: v.string(),
  /** ARN of the version that this run trains or accepts. */
  version: v.optional(v.string()),
});

export type RecipeProgress = v.InferOutput<typeof RecipeProgress>;

/** Whether a recipe has ended, successfully or not. */
export function hasEnded({ stage }: Pick<RecipeProgress, "stage">): boolean {
  return stage === "done" || stage === "held" || stage === "failed";
}

/** All recipes on one line, for `status` and `train --wait`. */
export function summaryOf(progress: readonly RecipeProgress[]): string {
  return progress
    .map((one) => `${one.recipe}: ${hasEnded(one) ? one.stage : `${one.stage} ${one.status}`.trimEnd()}`)
    .join(", ");
}
