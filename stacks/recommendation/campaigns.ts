import type { ITerraformDependable } from "cdktf";
import { personalizeResource } from "../constructs/personalize-resource.ts";
import { recommendationInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";
import { configuredRecipes } from "./api.ts";

/**
 * One campaign for each recipe: `awaiting training` until a version can be served, then completed by training. A changed TPS
 * is updated in place. `dependsOn` lists what personalize-manager reads: the training table, and the alias that allows it to
 * use the table's key.
 */
export function campaigns(stack: ProjectStack, dependsOn: readonly ITerraformDependable[]): void {
  const { campaigns: configured } = recommendationInput(stack.input);
  for (const recipe of configuredRecipes(stack)) {
    personalizeResource(stack, `campaign-${recipe.replaceAll("_", "-")}`, {
      desired: {
        kind: "campaign",
        name: stack.names.campaign(recipe),
        recipe,
        min_provisioned_tps: configured[recipe]?.min_provisioned_tps ?? 1,
      },
      dependsOn,
    });
  }
}
