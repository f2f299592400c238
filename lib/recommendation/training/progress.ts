import * as v from "valibot";
import { RECIPE_KINDS } from "../../config/recipes.ts";

/** Where the training of one recipe is. It travels through the execution's state, so it is small. */
export const RecipeProgress = v.strictObject({
  recipe: v.picklist(RECIPE_KINDS),
  stage: v.picklist(["solution", "version", "campaign", "done", "held", "failed"]),
  /** Personalize's word for what is waited for, or why it ended. */
  status: v.string(),
  /** ARN of the version that this run trains. */
  version: v.optional(v.string()),
});

export type RecipeProgress = v.InferOutput<typeof RecipeProgress>;

/** Whether a recipe has come to its end, good or bad. */
export function hasEnded({ stage }: RecipeProgress): boolean {
  return stage === "done" || stage === "held" || stage === "failed";
}
