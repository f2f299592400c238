import * as v from "valibot";
import { campaignSettings, recipeOf } from "../../config/campaign-settings.ts";
import type { Configuration, Recommendation } from "../../config/configuration.ts";
import { DATASET_NAME_LIST, DATASETS, RECIPE_KINDS } from "../../core/contract/recommendation.ts";
import { hashOf, type StackName } from "../../core/naming/names.ts";
import { PROJECT_TAG, STACK_TAG } from "../../core/naming/tags.ts";
import { Exploration } from "../../personalize/resources/request.ts";

const Name = v.pipe(v.string(), v.nonEmpty());

const Recipe = v.object({
  /** The name of the recipe in Personalize. */
  recipe_name: Name,
  event_type: v.optional(Name),
  /** A number as text. */
  event_value_threshold: v.optional(Name),
  parameters: v.array(v.object({ name: Name, value: v.union([v.number(), v.boolean(), v.string()]) })),
  excluded_dataset_columns: v.array(v.object({ name: v.picklist(DATASET_NAME_LIST), value: v.array(Name) })),
  min_provisioned_tps: v.pipe(v.number(), v.integer(), v.minValue(1)),
  exploration: v.optional(Exploration),
  /** Digest of the datasets' columns. New columns need a new solution: an old one never trains on them. */
  columns: Name,
});

/**
 * The settings that the function `training` reads from the `config.json` beside its bundle. The build writes that file
 * from the YAML files and fills in every default, so this schema has none.
 */
export const TrainingSettings = v.object({
  project: Name,
  recipes: v.partial(v.object(v.entriesFromList(RECIPE_KINDS, Recipe))),
  event_types: v.optional(v.array(Name)),
  metric_gate: v.object({ tolerance: v.number(), strict: v.boolean() }),
  tags: v.record(v.string(), v.string()),
});

export type TrainingSettings = v.InferOutput<typeof TrainingSettings>;

/** The stack that training belongs to. Resources that training creates carry it as a tag, by which they are found. */
const TRAINING_STACK: StackName = "recommendation";

/** The training and serving settings of one recipe. */
export type RecipeTraining = v.InferOutput<typeof Recipe>;

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
