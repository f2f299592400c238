/** What a recipe's campaign takes as input: a user, a user with a list to rank, or an item. */
export type RecipeType = "USER_PERSONALIZATION" | "PERSONALIZED_RANKING" | "RELATED_ITEMS";

/** The local model that a recipe trains. */
export type Learner = "taste" | "co-occurrence" | "popularity" | "trend";

/** A hyperparameter: its default and its allowed values. */
export interface Parameter {
  default: string;
  kind: "integer" | "continuous" | "boolean" | "text";
  range?: readonly [number, number];
  /** The values of a text. */
  values?: readonly string[];
}

export interface Recipe {
  name: string;
  type: RecipeType;
  learner: Learner;
  description: string;
  /** The recipe's `algorithmHyperParameters`. */
  algorithm: Readonly<Record<string, Parameter>>;
  /** The recipe's `featureTransformationParameters`. */
  featurization: Readonly<Record<string, Parameter>>;
}

const numeric =
  (kind: "integer" | "continuous") =>
  (value: string, low: number, high: number): Parameter => ({ default: value, kind, range: [low, high] });
const [integer, continuous] = [numeric("integer"), numeric("continuous")];
const TRUE: Parameter = { default: "true", kind: "boolean" };

const RECURRENT = { hidden_dimension: integer("149", 32, 256), bptt: integer("32", 2, 32), recency_mask: TRUE };
const HISTORY = {
  min_user_history_length_percentile: continuous("0.0", 0, 1),
  max_user_history_length_percentile: continuous("0.99", 0, 1),
};

const FIRST = { algorithm: RECURRENT, featurization: HISTORY };
const SECOND = { algorithm: { apply_recency_bias: TRUE }, featurization: {} };
const FOR_USER = {
  type: "USER_PERSONALIZATION",
  learner: "taste",
  description: "Items for a user, learned from interactions.",
} as const;
const RANKING = {
  type: "PERSONALIZED_RANKING",
  learner: "taste",
  description: "A list of items in the order of a user's interest.",
} as const;

/** The only recipe without batch inference. */
export const TRENDING = "aws-trending-now";

/** The values of `trend_discovery_frequency`, in seconds. */
export const TREND_SECONDS: Readonly<Record<string, number>> = {
  "30 minutes": 1_800,
  "1 hour": 3_600,
  "2 hours": 7_200,
  "3 hours": 10_800,
  "1 day": 86_400,
};

/** The built-in recipes that the local service can train, with their hyperparameters. */
export const RECIPES: readonly Recipe[] = [
  { name: "aws-user-personalization", ...FOR_USER, ...FIRST },
  { name: "aws-user-personalization-v2", ...FOR_USER, ...SECOND },
  { name: "aws-personalized-ranking", ...RANKING, ...FIRST },
  { name: "aws-personalized-ranking-v2", ...RANKING, ...SECOND },
  {
    name: "aws-sims",
    type: "RELATED_ITEMS",
    learner: "co-occurrence",
    description: "Items that occur together with an item in users' histories.",
    algorithm: {
      popularity_discount_factor: continuous("0.5", 0, 1),
      min_cointeraction_count: integer("3", 0, 10),
    },
    featurization: {
      min_user_history_length_percentile: continuous("0.005", 0, 1),
      max_user_history_length_percentile: continuous("0.995", 0, 1),
      min_item_interaction_count_percentile: continuous("0.01", 0, 1),
      max_item_interaction_count_percentile: continuous("0.9", 0, 1),
    },
  },
  {
    name: "aws-similar-items",
    type: "RELATED_ITEMS",
    learner: "co-occurrence",
    description: "Items that are similar to an item by users' histories and by their metadata.",
    algorithm: {
      item_id_hidden_dim: integer("100", 30, 200),
      item_metadata_hidden_dim: integer("100", 30, 200),
    },
    featurization: {},
  },
  {
    name: "aws-popularity-count",
    type: "USER_PERSONALIZATION",
    learner: "popularity",
    description: "The items with most interactions, the same for every user.",
    algorithm: {},
    featurization: {},
  },
  {
    name: TRENDING,
    type: "USER_PERSONALIZATION",
    learner: "trend",
    description: "The items whose interactions rise most, the same for every user.",
    algorithm: {},
    featurization: {
      trend_discovery_frequency: { default: "2 hours", kind: "text", values: Object.keys(TREND_SECONDS) },
    },
  },
];

/** Returns the ARN of a built-in recipe, which contains neither an account nor a region. */
export function recipeArn(name: string): string {
  return `arn:aws:personalize:::recipe/${name}`;
}

/** Returns the recipe with this ARN, or undefined. */
export function recipeOf(arn: string): Recipe | undefined {
  return RECIPES.find(({ name }) => recipeArn(name) === arn);
}

/**
 * Returns a recipe's parameters: the given values merged over the defaults. If one is unknown or out of range, returns
 * a description of the problem instead. For an unknown parameter it names the recipes that have it.
 */
export function parametersOf(
  recipe: Recipe,
  group: "algorithm" | "featurization",
  given: Readonly<Record<string, string>> = {},
): Record<string, string> | { problem: string } {
  for (const [name, value] of Object.entries(given)) {
    const parameter = recipe[group][name];
    if (!parameter) return { problem: unknownParameter(recipe, group, name) };
    const problem = valueProblem(parameter, value);
    if (problem) return { problem: `Hyperparameter ${name} of ${recipe.name} ${problem}, got "${value}"` };
  }
  const defaults = Object.entries(recipe[group]).map(([name, parameter]) => [name, parameter.default]);
  return { ...Object.fromEntries(defaults), ...given };
}

function unknownParameter(recipe: Recipe, group: "algorithm" | "featurization", name: string): string {
  const known = Object.keys(recipe[group]).join(", ") || "none";
  const others = RECIPES.filter((other) => other[group][name]).map((other) => other.name);
  const hint = others.length > 0 ? `; recipes that have it: ${others.join(", ")}` : "";
  return `Recipe ${recipe.name} has no ${group} parameter ${name}, it has ${known}${hint}`;
}

function valueProblem({ kind, range, values = [] }: Parameter, value: string): string | undefined {
  if (kind === "text") return values.includes(value) ? undefined : `must be one of ${values.join(", ")}`;
  if (kind === "boolean") return /^(true|false)$/i.test(value) ? undefined : "must be true or false";
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number)) return "must be a number";
  if (kind === "integer" && !Number.isInteger(number)) return "must be a whole number";
  const [low, high] = range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return number < low || number > high ? `must be from ${low} to ${high}` : undefined;
}
