import type { ITerraformDependable } from "cdktf";
import { personalizeResource } from "../constructs/personalize-resource.ts";
import { recommendationInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";
import { configuredRecipes } from "./api.ts";

/**
 * One campaign a recipe: `awaiting training` until there is a version to serve, then completed by training. Changed TPS are
 * an update in place. `dependsOn` has what personalize-manager reads: the table of what training serves, and the alias by
 * which it may use the table's key.
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
