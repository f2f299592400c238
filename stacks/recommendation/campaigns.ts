import type { ITerraformDependable } from "cdktf";
import { personalizeResource } from "../constructs/personalize-resource.ts";
import { recommendationInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";
import { configuredRecipes } from "./api.ts";

/**
 * Adds one campaign for each recipe. Its status is `awaiting training` until training has a version to serve and
 * creates it. A changed TPS updates the campaign in place. `dependsOn` lists what personalize-manager reads: the
 * training table, and the alias that allows it to use the table's key.
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
