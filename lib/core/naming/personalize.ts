import { LIMITS } from "./limits.ts";
import { hashOf, numericHash, shorten, shortHash } from "./shorten.ts";

const SUFFIX_LENGTH = 10;

/** Names of a project's resources in Personalize. They need neither account nor region. */
export function personalizeNames(project: string) {
  const named = (name: string) => shorten(`${project}-${name}`, LIMITS.personalize);
  const dashed = (recipe: string) => recipe.replaceAll("_", "-");
  const filterStart = (filter: string) => `${shorten(`${project}-${filter}`, LIMITS.personalize - SUFFIX_LENGTH - 1)}-`;

  return {
    datasetGroup: () => project,
    /** A schema cannot be changed: another content is another schema. */
    schema: (dataset: string, content: unknown) => named(`${dataset}-${hashOf(content)}`),
    /** Start of the names of a dataset's schemas, current and superseded. A hash of eight digits follows. */
    schemaPrefix: (dataset: string) => `${project}-${dataset}-`,
    dataset: (dataset: string) => named(dataset),
    eventTracker: () => named("events"),
    importJob: (dataset: string, execution: string) => named(`${dataset}-${shortHash(execution, 12)}`),
    /** A solution's settings cannot be changed: other settings are another solution. */
    solution: (recipe: string, settings: unknown) => `${solutionStart(project, recipe)}${hashOf(settings)}`,
    /** Start of the names of a recipe's solutions, current and superseded. */
    solutionPrefix: (recipe: string) => solutionStart(project, recipe),
    /** Stable: training switches its solution version. */
    campaign: (recipe: string) => named(dashed(recipe)),
    /** `<project>-<filter>-<number>`, the number derived from the expression: another expression is another filter. */
    filter: (filter: string, expression: string) => `${filterStart(filter)}${numericHash(expression)}`,
    /** Start of the names of a filter's resources, current and superseded. Ten digits follow. */
    filterPrefix: filterStart,
  };
}

function solutionStart(project: string, recipe: string): string {
  return `${project}-${recipe.replaceAll("_", "-")}-`;
}
