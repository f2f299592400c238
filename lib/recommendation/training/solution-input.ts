import type { CreateSolutionRequest } from "@aws-sdk/client-personalize";
import { RECIPES, type RecipeKind, type RecipeParameter } from "../../config/recipes.ts";
import type { Names } from "../../core/naming/names.ts";
import { datasetGroupArn } from "../../personalize/resources/dataset-group.ts";
import { tagList } from "../../personalize/resources/tags.ts";
import type { RecipeTraining } from "./settings.ts";

const DATASET_TYPES = { Item: "ITEMS", User: "USERS", Interaction: "INTERACTIONS" } as const;

/** What CreateSolution takes, with the name that these settings give. */
export type SolutionInput = CreateSolutionRequest & { name: string };

/** The solution of a recipe's settings. Automatic training is off: it would train, and cost, by itself every week. */
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
    // Settings and columns are for good: Personalize leaves columns that come later out of a solution's training.
    name: names.solution(kind, { ...settings, columns: recipe.columns }),
    datasetGroupArn: datasetGroupArn({ names }),
    performAutoTraining: false,
    ...settings,
    tags: tagList(tags),
  };
}
