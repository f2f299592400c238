import { LIMITS } from "./limits.ts";
import { hashOf, numericHash, shorten, shortHash } from "./shorten.ts";

const SUFFIX_LENGTH = 10;

/** Returns the names of a project's resources in Personalize, which contain neither account nor region. */
export function personalizeNames(project: string) {
  const named = (name: string) => shorten(`${project}-${name}`, LIMITS.personalize);
  const dashed = (recipe: string) => recipe.replaceAll("_", "-");
  const solutionPrefix = (recipe: string) => `${project}-${dashed(recipe)}-`;
  const filterStart = (filter: string) => `${shorten(`${project}-${filter}`, LIMITS.personalize - SUFFIX_LENGTH - 1)}-`;

  return {
    datasetGroup: () => project,
    /** Schemas are immutable, so the name contains a hash of the content. */
    schema: (dataset: string, content: unknown) => named(`${dataset}-${hashOf(content)}`),
    /** Prefix of the names of a dataset's schemas, current and superseded; a hash of eight digits follows. */
    schemaPrefix: (dataset: string) => `${project}-${dataset}-`,
    dataset: (dataset: string) => named(dataset),
    eventTracker: () => named("events"),
    importJob: (dataset: string, execution: string) => named(`${dataset}-${shortHash(execution, 12)}`),
    /** A solution's settings are immutable, so the name contains a hash of them. */
    solution: (recipe: string, settings: unknown) => `${solutionPrefix(recipe)}${hashOf(settings)}`,
    /** Prefix of the names of a recipe's solutions, current and superseded. */
    solutionPrefix,
    /** Stable: training switches the campaign's solution version. */
    campaign: (recipe: string) => named(dashed(recipe)),
    /** `<project>-<filter>-<number>`. Filters are immutable, so the number is derived from the expression. */
    filter: (filter: string, expression: string) => `${filterStart(filter)}${numericHash(expression)}`,
    /** Prefix of the names of a filter's resources, current and superseded; ten digits follow. */
    filterPrefix: filterStart,
  };
}
