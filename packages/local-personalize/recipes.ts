import {
  RECIPES as CONFIGURED,
  RECIPE_WITHOUT_BATCH,
  type RecipeParameter,
  type Recipe as RecipeSettings,
} from "@relevance/lib/settings/recipes.ts";

/** The input of a recipe's campaign, by the kind of recipe: a user, a user with a list to rank, or an item. */
const TYPES = {
  user_personalization: "USER_PERSONALIZATION",
  personalized_ranking: "PERSONALIZED_RANKING",
  similar_items: "RELATED_ITEMS",
} as const satisfies Record<RecipeSettings["kind"], string>;

/** The local model that a recipe trains. */
type Learner = "taste" | "co-occurrence" | "popularity" | "trend";

/** A hyperparameter: its default and its allowed values. */
export interface Parameter extends RecipeParameter {
  default: string;
}

export interface Recipe {
  name: string;
  type: (typeof TYPES)[RecipeSettings["kind"]];
  learner: Learner;
  description: string;
  /** The recipe's `algorithmHyperParameters`. */
  algorithm: Readonly<Record<string, Parameter>>;
  /** The recipe's `featureTransformationParameters`. */
  featurization: Readonly<Record<string, Parameter>>;
}

/** Defaults of parameters, by name. Source: the page of each recipe, developer guide. */
const DEFAULTS: Readonly<Record<string, string>> = {
  hidden_dimension: "149",
  bptt: "32",
  recency_mask: "true",
  apply_recency_bias: "true",
  min_user_history_length_percentile: "0.0",
  max_user_history_length_percentile: "0.99",
  popularity_discount_factor: "0.5",
  min_cointeraction_count: "3",
  min_item_interaction_count_percentile: "0.01",
  max_item_interaction_count_percentile: "0.9",
  item_id_hidden_dim: "100",
  item_metadata_hidden_dim: "100",
  trend_discovery_frequency: "2 hours",
};

/** The values of `trend_discovery_frequency`, in seconds. */
export const TREND_SECONDS: Readonly<Record<string, number>> = {
  "30 minutes": 1_800,
  "1 hour": 3_600,
  "2 hours": 7_200,
  "3 hours": 10_800,
  "1 day": 86_400,
};

const FOR_USER = { learner: "taste", description: "Items for a user, learned from interactions." } as const;
const RANKING = { learner: "taste", description: "A list of items in the order of a user's interest." } as const;

/** How the local service trains each recipe. `defaults` are those that differ from {@link DEFAULTS}. */
const TRAINED: Readonly<
  Record<string, { learner: Learner; description: string; defaults?: Readonly<Record<string, string>> }>
> = {
  "aws-user-personalization": FOR_USER,
  "aws-user-personalization-v2": FOR_USER,
  "aws-personalized-ranking": RANKING,
  "aws-personalized-ranking-v2": RANKING,
  "aws-sims": {
    learner: "co-occurrence",
    description: "Items that occur together with an item in users' histories.",
    defaults: { min_user_history_length_percentile: "0.005", max_user_history_length_percentile: "0.995" },
  },
  "aws-similar-items": {
    learner: "co-occurrence",
    description: "Items that are similar to an item by users' histories and by their metadata.",
  },
  "aws-popularity-count": {
    learner: "popularity",
    description: "The items with most interactions, the same for every user.",
  },
  [RECIPE_WITHOUT_BATCH]: {
    learner: "trend",
    description: "The items whose interactions rise most, the same for every user.",
  },
};

/** The built-in recipes that the local service can train, with their hyperparameters. */
export const RECIPES: readonly Recipe[] = Object.entries(TRAINED).map(
  ([name, { learner, description, defaults = {} }]) => {
    const { kind, parameters } = CONFIGURED[name] as RecipeSettings;
    const of = (group: RecipeParameter["goesTo"]) =>
      Object.fromEntries(
        Object.entries(parameters)
          .filter(([, { goesTo }]) => goesTo === group)
          .map(([key, parameter]) => [key, { ...parameter, default: defaults[key] ?? DEFAULTS[key] ?? "" }]),
      );
    const algorithm = of("algorithmHyperParameters");
    return {
      name,
      type: TYPES[kind],
      learner,
      description,
      algorithm,
      featurization: of("featureTransformationParameters"),
    };
  },
);

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

function valueProblem({ type, min, max, values = [] }: Parameter, value: string): string | undefined {
  if (type === "text") return values.includes(value) ? undefined : `must be one of ${values.join(", ")}`;
  if (type === "boolean") return /^(true|false)$/i.test(value) ? undefined : "must be true or false";
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number)) return "must be a number";
  if (type === "integer" && !Number.isInteger(number)) return "must be a whole number";
  return (min !== undefined && number < min) || (max !== undefined && number > max)
    ? `must be from ${min} to ${max}`
    : undefined;
}
