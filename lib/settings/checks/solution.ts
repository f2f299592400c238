import { REQUIRED_FIELDS } from "../../personalize/limits.ts";
import { DATASET_NAMES, RECIPE_KINDS } from "../../platform/contract/recommendation.ts";
import { joinWords } from "../kinds.ts";
import { nearest } from "../nearest.ts";
import type { Path } from "../problem.ts";
import { chosenRecipe, EXPLORING_RECIPE, RECIPES, type RecipeParameter, recipesWith } from "../recipes.ts";
import { type Check, noneTwice, sound } from "./drafts.ts";

/**
 * Checks that every recipe has a campaign and vice versa, and that parameters exist in their recipe, within its limits.
 */
export const checkRecipes: Check = ({ solution, campaign }, report) => {
  const recipes = solution?.recipes;
  noneTwice(report, "solution", ["built_in"], solution?.built_in);
  for (const kind of RECIPE_KINDS) {
    const configured = recipes !== undefined && Object.hasOwn(recipes, kind);
    const campaigned = campaign?.campaigns !== undefined && Object.hasOwn(campaign.campaigns, kind);
    if (configured && campaign?.campaigns !== undefined && !campaigned) {
      report("campaign", ["campaigns", kind], "is missing: solution.yaml configures this recipe");
    }
    if (campaigned && recipes !== undefined && !configured) {
      const message = "has no recipe of this name in solution.yaml: add one there, or remove this";
      report("campaign", ["campaigns", kind], message);
    }
    const settings = recipes?.[kind];
    const explores =
      kind === "user_personalization" && campaign?.campaigns?.[kind]?.item_exploration_config !== undefined;
    const name = settings && chosenRecipe(kind, settings, explores).name;
    if (explores && name !== undefined && name !== EXPLORING_RECIPE) {
      const path = ["campaigns", kind, "item_exploration_config"];
      report("campaign", path, `is for ${EXPLORING_RECIPE} only: solution.yaml names ${name}`);
    }
    if (settings?.event_value_threshold !== undefined && settings.target_event_type === undefined) {
      const path = ["recipes", kind, "event_value_threshold"];
      report("solution", path, "needs target_event_type: Personalize takes a threshold for one event type only");
    }
    if (settings === undefined || name === undefined) continue;
    const path = ["recipes", kind, "parameters"];
    noneTwice(report, "solution", path, settings.parameters, "name");
    for (const [index, parameter] of sound(settings.parameters)) {
      const problem = (step: string, message: string) =>
        report("solution", [...path, index, step] satisfies Path, message);
      if (parameter.name === undefined) continue;
      const rule = RECIPES[name]?.parameters[parameter.name];
      if (rule === undefined) problem("name", unknownParameter(parameter.name, name));
      else if (parameter.value !== undefined && !fits(parameter.value, rule)) {
        problem("value", `must be ${inWords(rule)} for ${parameter.name} of ${name}, got ${parameter.value}`);
      }
    }
  }
};

function unknownParameter(parameter: string, recipe: string): string {
  const others = recipesWith(parameter);
  const known = Object.keys(RECIPES[recipe]?.parameters ?? {});
  if (others.length > 0) return `"${parameter}" is not a parameter of ${recipe}: it belongs to ${others.join(", ")}`;
  const close = nearest(parameter, known);
  const advice = close === undefined ? `it has ${known.join(", ")}` : `did you mean "${close}"?`;
  return `"${parameter}" is not a parameter of ${recipe}: ${advice}`;
}

function fits(value: number | boolean | string, { type, min, max, values }: RecipeParameter): boolean {
  if (type === "text" || typeof value === "string") {
    return type === "text" && typeof value === "string" && values?.includes(value) === true;
  }
  if (type === "boolean" || typeof value === "boolean") return type === "boolean" && typeof value === "boolean";
  if (type === "integer" && !Number.isInteger(value)) return false;
  return value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);
}

function inWords({ type, min, max, values = [] }: RecipeParameter): string {
  if (type === "text") return joinWords(values, "or");
  if (type === "boolean") return "true or false";
  return `${type === "integer" ? "an integer" : "a number"} from ${min} to ${max}`;
}

/** Settings that need a column of interactions. */
const NEEDED_BY: Readonly<Record<string, "target_event_type" | "event_value_threshold">> = {
  EVENT_TYPE: "target_event_type",
  EVENT_VALUE: "event_value_threshold",
};

/** Checks that excluded columns exist in the dataset's schema, are not required, and are listed once. */
export const checkExcludedColumns: Check = (drafts, report) => {
  for (const kind of RECIPE_KINDS) {
    const settings = drafts.solution?.recipes?.[kind];
    const path = ["recipes", kind, "excluded_dataset_columns"];
    const join = (first: number) => `: join it with excluded_dataset_columns[${first}]`;
    noneTwice(report, "solution", path, settings?.excluded_dataset_columns, "name", join);
    for (const [index, { name, value }] of sound(settings?.excluded_dataset_columns)) {
      if (name === undefined) continue;
      const fields = drafts[DATASET_NAMES[name]]?.fields;
      const columns = fields && sound(fields).flatMap(([, field]) => field.name ?? []);
      for (const [place, column] of sound(value)) {
        const problem = (message: string) => report("solution", [...path, index, "value", place], message);
        const user = name === "Interaction" ? NEEDED_BY[column] : undefined;
        if (Object.hasOwn(REQUIRED_FIELDS[DATASET_NAMES[name]], column)) {
          problem(`"${column}" is required for training and cannot be excluded`);
        } else if (user && settings?.[user] !== undefined) {
          problem(`"${column}" cannot be excluded: ${user} needs it`);
        } else if (columns !== undefined && !columns.includes(column)) {
          const close = nearest(column, columns);
          const advice = close === undefined ? `it has ${columns.join(", ")}` : `did you mean "${close}"?`;
          problem(`"${column}" is not in the ${DATASET_NAMES[name]} schema: ${advice}`);
        }
      }
    }
  }
};
