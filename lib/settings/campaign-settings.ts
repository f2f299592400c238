import type { RecipeKind } from "../platform/contract/recommendation.ts";
import type { Recommendation } from "./configuration.ts";
import { chosenRecipe, DEFAULT_EXPLORATION, EXPLORING_RECIPE } from "./recipes.ts";

type Configured = Pick<Recommendation, "solution" | "campaigns">;

/** Returns the recipe that a kind is trained with, and what chose it. */
export const recipeOf = ({ solution, campaigns }: Configured, kind: RecipeKind): ReturnType<typeof chosenRecipe> =>
  chosenRecipe(kind, solution.recipes[kind] ?? {}, explorationOf(campaigns, kind) !== undefined);

/**
 * Returns the settings of a kind's campaign. `exploration` is as Personalize writes it; undefined for a recipe that does not
 * explore.
 */
export function campaignSettings(configured: Configured, kind: RecipeKind) {
  const { campaigns } = configured;
  const given = explorationOf(campaigns, kind);
  return {
    min_provisioned_tps: campaigns[kind]?.min_provisioned_tps ?? 1,
    ...(recipeOf(configured, kind).name === EXPLORING_RECIPE && {
      exploration: given
        ? {
            explorationWeight: String(given.exploration_weight),
            explorationItemAgeCutOff: String(given.exploration_item_age_cut_off),
          }
        : DEFAULT_EXPLORATION,
    }),
  };
}

const explorationOf = (campaigns: Configured["campaigns"], kind: RecipeKind) =>
  kind === "user_personalization" ? campaigns.user_personalization?.item_exploration_config : undefined;
