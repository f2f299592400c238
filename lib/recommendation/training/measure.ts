import { RECIPES } from "../../config/recipes.ts";
import type { RecipeTraining } from "./settings.ts";

/**
 * The settings, by name, that decide on which events Personalize measures a version. Two versions can be compared
 * only if these settings are equal. Algorithm parameters, excluded columns and the recipe itself are not among them:
 * they change the model, but not the events that test it.
 */
export type Measure = Readonly<Record<string, string>>;

/**
 * Returns what a recipe's versions are measured on. `lookbackDays` is personalize.log_lookback_days of project.yaml.
 */
export function measureOf(training: RecipeTraining, lookbackDays: number): Measure {
  const { recipe_name, event_type, event_value_threshold, parameters } = training;
  const known = RECIPES[recipe_name]?.parameters ?? {};
  // These drop users or items with too few or too many events before Personalize splits off the test users.
  const features = parameters.filter(({ name }) => known[name]?.goesTo === "featureTransformationParameters");
  return {
    log_lookback_days: String(lookbackDays),
    ...(event_type !== undefined && { target_event_type: event_type }),
    ...(event_value_threshold !== undefined && { event_value_threshold }),
    ...Object.fromEntries(features.map(({ name, value }) => [name, String(value)])),
  };
}

/** Lists the settings in which two measures differ, for example `event_value_threshold was 3, is 4`. */
export function changesOf(before: Measure, after: Measure): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} was ${before[name] ?? "not set"}, is ${after[name] ?? "not set"}`);
}
