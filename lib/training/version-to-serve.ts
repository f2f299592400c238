import { DescribeSolutionVersionCommand } from "@aws-sdk/client-personalize";
import type { RecipeKind } from "../config/recipes.ts";
import type { Names } from "../naming/names.ts";
import { readInventory } from "../personalize-manager/inventory.ts";
import { ifThere, type Personalize } from "../personalize-manager/personalize.ts";
import type { TrainingState } from "./state.ts";

/**
 * The version that a campaign is to serve when it has to be made anew: the one that training chose last; else the newest
 * that was not held back. Undefined before the first training.
 */
export async function versionToServe(
  personalize: Personalize,
  names: Names,
  state: Pick<TrainingState, "recipe">,
  recipe: RecipeKind,
): Promise<string | undefined> {
  const known = await state.recipe(recipe).catch((error: unknown) => {
    // The table comes with the stack that the first campaign belongs to.
    if (error instanceof Error && error.name === "ResourceNotFoundException") return undefined;
    throw error;
  });
  const chosen = known?.active?.version;
  if (chosen !== undefined) {
    const command = new DescribeSolutionVersionCommand({ solutionVersionArn: chosen });
    const found = await ifThere(personalize.send(command));
    if (found?.solutionVersion?.status === "ACTIVE") return chosen;
  }
  const { solutions } = await readInventory(personalize, names);
  const held = new Set(known?.held);
  const good = solutions
    .filter((solution) => solution.recipe === recipe)
    .flatMap(({ versions }) => versions)
    .filter(({ status, arn }) => status === "ACTIVE" && !held.has(arn));
  return good.toSorted((a, b) => ((a.last_updated ?? "") < (b.last_updated ?? "") ? 1 : -1))[0]?.arn;
}
