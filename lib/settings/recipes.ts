import type { RecipeKind } from "../platform/contract/recommendation.ts";

/** A parameter of a recipe: its limits, and the part of Personalize's SolutionConfig that it belongs to. */
export interface RecipeParameter {
  type: "integer" | "float" | "boolean" | "text";
  min?: number;
  max?: number;
  /** The values of a text. */
  values?: readonly string[];
  goesTo: "algorithmHyperParameters" | "featureTransformationParameters";
}

/** A recipe of Personalize. Its ARN is `arn:aws:personalize:::recipe/<name>`. */
export interface Recipe {
  kind: RecipeKind;
  parameters: Readonly<Record<string, RecipeParameter>>;
}

const goesTo = "algorithmHyperParameters";
const flag: RecipeParameter = { type: "boolean", goesTo };
const integer = (min: number, max: number): RecipeParameter => ({ type: "integer", min, max, goesTo });
const share: RecipeParameter = { type: "float", min: 0, max: 1, goesTo };
const percentile: RecipeParameter = { type: "float", min: 0, max: 1, goesTo: "featureTransformationParameters" };

const history = {
  min_user_history_length_percentile: percentile,
  max_user_history_length_percentile: percentile,
};
const hrnn = {
  hidden_dimension: integer(32, 256),
  bptt: integer(2, 32),
  recency_mask: flag,
  ...history,
};
const recency = { apply_recency_bias: flag };
const frequency: RecipeParameter = {
  type: "text",
  values: ["30 minutes", "1 hour", "2 hours", "3 hours", "1 day"],
  goesTo: "featureTransformationParameters",
};

/** Personalize's recipes by name. Source: "Choosing a recipe", developer guide, and the page of each recipe. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  "aws-user-personalization": { kind: "user_personalization", parameters: hrnn },
  "aws-user-personalization-v2": { kind: "user_personalization", parameters: recency },
  "aws-trending-now": { kind: "user_personalization", parameters: { trend_discovery_frequency: frequency } },
  "aws-popularity-count": { kind: "user_personalization", parameters: {} },
  "aws-sims": {
    kind: "similar_items",
    parameters: {
      popularity_discount_factor: share,
      min_cointeraction_count: integer(0, 10),
      ...history,
      min_item_interaction_count_percentile: percentile,
      max_item_interaction_count_percentile: percentile,
    },
  },
  "aws-similar-items": {
    kind: "similar_items",
    parameters: {
      item_id_hidden_dim: integer(30, 200),
      item_metadata_hidden_dim: integer(30, 200),
    },
  },
  "aws-personalized-ranking": { kind: "personalized_ranking", parameters: hrnn },
  "aws-personalized-ranking-v2": { kind: "personalized_ranking", parameters: recency },
};

/** The recipe that explores: it shows items with few events now and then, as the campaign says. */
export const EXPLORING_RECIPE = "aws-user-personalization";

/** The recipe without recommendations for many users at once. Source: "Trending-Now recipe", developer guide. */
export const RECIPE_WITHOUT_BATCH = "aws-trending-now";

/** The recipe of each kind if `recipe_name` is not set, and the one before it, which has parameters that it lacks. */
export const DEFAULT_RECIPES: Readonly<Record<RecipeKind, { now: string; before?: string }>> = {
  user_personalization: { now: "aws-user-personalization-v2", before: EXPLORING_RECIPE },
  similar_items: { now: "aws-sims" },
  personalized_ranking: { now: "aws-personalized-ranking-v2", before: "aws-personalized-ranking" },
};

/** Settings that select the recipe of a kind. */
interface RecipeChoice {
  recipe_name?: string | undefined;
  parameters?: readonly ({ name?: string | undefined } | undefined)[] | undefined;
}

/**
 * Returns the recipe of a kind: the named one; else the newest, or the one before it if a parameter that the newest lacks, or
 * exploration, is set. `because` names what made the choice.
 */
export function chosenRecipe(
  kind: RecipeKind,
  { recipe_name, parameters = [] }: RecipeChoice,
  explores: boolean,
): { name: string; because?: string } {
  if (recipe_name !== undefined) return { name: recipe_name };
  const { now, before } = DEFAULT_RECIPES[kind];
  if (before === undefined) return { name: now };
  const known = RECIPES[now]?.parameters ?? {};
  const own = parameters.find(
    (parameter) => parameter?.name !== undefined && !Object.hasOwn(known, parameter.name),
  )?.name;
  if (own !== undefined) return { name: before, because: `the parameter ${own}` };
  if (explores && before === EXPLORING_RECIPE) return { name: before, because: "item_exploration_config" };
  return { name: now };
}

/** Returns the names of the recipes that have a parameter. */
export function recipesWith(parameter: string): string[] {
  return Object.keys(RECIPES).filter((name) => Object.hasOwn(RECIPES[name]?.parameters ?? {}, parameter));
}

/** Returns the names of the recipes of a kind. */
export function recipesOf(kind: RecipeKind): string[] {
  return Object.keys(RECIPES).filter((name) => RECIPES[name]?.kind === kind);
}

/** How a training imports events: update_dataset_group includes IMPRESSION, init leaves it empty. */
export const TRAINING_MODES = ["init", "update_dataset_group"] as const;

export type TrainingMode = (typeof TRAINING_MODES)[number];

/** Personalize's own defaults. Source: "User-Personalization recipe", developer guide. */
export const DEFAULT_EXPLORATION = { explorationWeight: "0.3", explorationItemAgeCutOff: "30" };
