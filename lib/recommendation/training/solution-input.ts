import type { CreateSolutionRequest } from "@aws-sdk/client-personalize";
import { RECIPES, type RecipeKind, type RecipeParameter } from "../../config/recipes.ts";
import type { Names } from "../../core/naming/names.ts";
import { tagList } from "../../personalize/resources/personalize.ts";
import type { RecipeTraining } from "./settings.ts";

const DATASET_TYPES = { Item: "ITEMS", User: "USERS", Interaction: "INTERACTIONS" } as const;

/** The input of CreateSolution. The name is derived from the settings. */
export type SolutionInput = CreateSolutionRequest & { name: string };

/**
 * Returns the solution for a recipe's settings. Automatic training is off, because it would train, and cost, every
 * week.
 */
export function solutionInput(
  names: Names,
  kind: RecipeKind,
  recipe: RecipeTraining,
  tags: Readonly<Record<string, string>> = {},
): SolutionInput {
  const recipeArn = `arn:${names.partition()}:personalize:::recipe/${recipe.recipe_name}`;
  const goesTo = (place: RecipeParameter["goesTo"]) => {
    const known = RECIPES[recipe.recipe_name]?.parameters ?? {};
    const entries = recipe.parameters.filter(({ name }) => known[name]?.goesTo === place);
    const values = Object.fromEntries(entries.map(({ name, value }) => [name, String(value)]));
    return entries.length > 0 ? { [place]: values } : {};
  };
  const excluded = recipe.excluded_dataset_columns.map(
    ({ name, value }) => [DATASET_TYPES[name], [...value]] as [string, string[]],
  );
  const settings = {
    recipeArn,
    ...(recipe.event_type !== undefined && { eventType: recipe.event_type }),
    solutionConfig: {
      ...(recipe.event_value_threshold !== undefined && { eventValueThreshold: recipe.event_value_threshold }),
      ...goesTo("algorithmHyperParameters"),
      ...goesTo("featureTransformationParameters"),
      ...(excluded.length > 0 && { trainingDataConfig: { excludedDatasetColumns: Object.fromEntries(excluded) } }),
    },
  };
  return {
    // A solution's settings and columns are fixed: Personalize never trains it on columns that were added later.
    name: names.solution(kind, { ...settings, columns: recipe.columns }),
    datasetGroupArn: names.datasetGroupArn(),
    performAutoTraining: false,
    ...settings,
    tags: tagList(tags),
  };
}
