import type { RecipeKind } from "../core/contract/recommendation.ts";

/** A parameter of a recipe: its limits, and the part of Personalize's SolutionConfig that it belongs to. */
export interface RecipeParameter {
  type: "integer" | "float" | "boolean";
  min?: number;
  max?: number;
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

/** Personalize's recipes by name. Source: "Choosing a recipe", developer guide, and the page of each recipe. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  "aws-user-personalization": { kind: "user_personalization", parameters: hrnn },
  "aws-user-personalization-v2": { kind: "user_personalization", parameters: recency },
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

/** The recipe of each kind if `recipe_name` is not set: the one with the most parameters to tune. */
export const DEFAULT_RECIPES = {
  user_personalization: "aws-user-personalization",
  similar_items: "aws-sims",
  personalized_ranking: "aws-personalized-ranking",
} as const satisfies Record<RecipeKind, string>;

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
