import { DATASETS, RECIPE_KINDS, type RecipeKind } from "../../platform/contract/recommendation.ts";
import { hashOf, type StackName } from "../../platform/naming/names.ts";
import { PROJECT_TAG, STACK_TAG } from "../../platform/naming/tags.ts";
import { campaignSettings, recipeOf } from "../../settings/campaign-settings.ts";
import type { Configuration, Recommendation } from "../../settings/configuration.ts";
import type { Solution } from "../../settings/solution.ts";

type ConfiguredRecipe = NonNullable<Solution["recipes"][RecipeKind]>;

/** The training and serving settings of one recipe. */
export interface RecipeTraining
  extends Pick<ConfiguredRecipe, "parameters" | "excluded_dataset_columns">,
    ReturnType<typeof campaignSettings> {
  /** The name of the recipe in Personalize. */
  recipe_name: string;
  event_type?: string;
  /** A number as text. */
  event_value_threshold?: string;
  /** Digest of the datasets' columns. New columns need a new solution: an old one never trains on them. */
  columns: string;
}

/**
 * The settings that the function `training` reads from the `config.json` beside its bundle. The build writes that file
 * from the YAML files and fills in every default.
 */
export interface TrainingSettings {
  project: string;
  recipes: Partial<Record<RecipeKind, RecipeTraining>>;
  event_types?: string[];
  metric_gate: Solution["metric_gate"];
  tags: Record<string, string>;
}

/** The stack that training belongs to. Resources that training creates carry it as a tag, by which they are found. */
const TRAINING_STACK: StackName = "recommendation";

/** Returns the `config.json` of training: the part of the configuration that it uses. */
export function trainingSettings(
  { project }: Pick<Configuration, "project">,
  { solution, campaigns, schemas }: Pick<Recommendation, "solution" | "campaigns" | "schemas">,
): TrainingSettings {
  const columns = hashOf(DATASETS.map((dataset) => schemas[dataset].fields.map(({ name }) => name)));
  const recipes = RECIPE_KINDS.flatMap((kind) => {
    const settings = solution.recipes[kind];
    const campaign = campaignSettings({ solution, campaigns }, kind);
    if (!settings) return [];
    const { target_event_type, event_value_threshold, ...others } = settings;
    const recipe: RecipeTraining = {
      ...others,
      recipe_name: recipeOf({ solution, campaigns }, kind).name,
      ...(target_event_type !== undefined && { event_type: target_event_type }),
      ...(event_value_threshold !== undefined && { event_value_threshold }),
      ...campaign,
      columns,
    };
    return [[kind, recipe] as const];
  });
  return {
    project: project.project_name,
    recipes: Object.fromEntries(recipes),
    ...(solution.event_types && { event_types: [...solution.event_types] }),
    metric_gate: { ...solution.metric_gate },
    // Resources created by training carry the same project tags as those created by Terraform.
    tags: { ...project.aws.tags, [PROJECT_TAG]: project.project_name, [STACK_TAG]: TRAINING_STACK },
  };
}
