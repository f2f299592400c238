import { RECIPES } from "../../config/recipes.ts";
import type { RecipeTraining } from "./settings.ts";

/**
 * Settings that decide on which events Personalize measures a version, by name: two versions compare only when these are
 * equal. Algorithm parameters, excluded columns and the recipe itself change the model, not the events that test it.
 */
export type Measure = Readonly<Record<string, string>>;

/** What the versions of a recipe are measured on. `lookbackDays` is personalize.log_lookback_days of project.yaml. */
export function measureOf(training: RecipeTraining, lookbackDays: number): Measure {
  const { recipe_name, event_type, event_value_threshold, parameters } = training;
  const known = RECIPES[recipe_name]?.parameters ?? {};
  // These leave users or items with too few or too many events out before Personalize splits off the test users.
  const features = parameters.filter(({ name }) => known[name]?.goesTo === "featureTransformationParameters");
  return {
    log_lookback_days: String(lookbackDays),
    ...(event_type !== undefined && { target_event_type: event_type }),
    ...(event_value_threshold !== undefined && { event_value_threshold }),
    ...Object.fromEntries(features.map(({ name, value }) => [name, String(value)])),
  };
}

/** Each setting in which two measures differ, as `event_value_threshold was 3, is 4`. */
export function changesOf(before: Measure, after: Measure): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} was ${before[name] ?? "not set"}, is ${after[name] ?? "not set"}`);
}
