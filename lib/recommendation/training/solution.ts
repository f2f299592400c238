import {
  CreateSolutionCommand,
  type CreateSolutionRequest,
  CreateSolutionVersionCommand,
  DeleteSolutionCommand,
  DescribeSolutionCommand,
  type SolutionVersion,
  StopSolutionVersionCreationCommand,
} from "@aws-sdk/client-personalize";
import { failed, hasFailed, isMoving, isStopping } from "../../personalize/resources/managing.ts";
import {
  describeVersion,
  ifNew,
  listVersions,
  type Personalize,
  tagList,
} from "../../personalize/resources/personalize.ts";
import { ifFree, ignoreNotFound } from "../../platform/aws/errors.ts";
import type { DATASET_NAMES, RecipeKind } from "../../platform/contract/recommendation.ts";
import { type Names, shortHash } from "../../platform/naming/names.ts";
import { RECIPES, type RecipeParameter } from "../../settings/recipes.ts";
import { isCrowded } from "./imports.ts";
import type { RecipeTraining } from "./settings.ts";

/** A resource that exists (`found`), or the status of one that is still changing (`moving`). */
type Step = { moving: string } | { found: string };

/** Creates the solution unless it exists. Replaces a failed one, but throws if this run created it. */
export async function stepSolution(
  personalize: Personalize,
  input: SolutionInput,
  solutionArn: string,
  begunByUs: boolean,
): Promise<Step> {
  const found = (await ignoreNotFound(personalize.send(new DescribeSolutionCommand({ solutionArn }))))?.solution;
  if (!found) {
    await ifNew(personalize.send(new CreateSolutionCommand(input)));
    return { moving: "CREATE PENDING" };
  }
  if (isMoving(found.status)) return { moving: found.status ?? "" };
  if (!hasFailed(found.status)) return { found: solutionArn };
  if (begunByUs) throw failed(`The solution ${input.name}`, found);
  await ignoreNotFound(personalize.send(new DeleteSolutionCommand({ solutionArn })));
  return { moving: "DELETE PENDING" };
}

/** Prefix of the version names that training assigns. */
const OURS = "v-";

/**
 * Trains a version of the solution unless one exists for `of`, the chain and data, which its name contains as a hash:
 * `v-<hash>-<attempt>`. Retries a failed version under the next attempt number, but throws if it is `current`, the
 * version that this run is waiting for. Stops versions that training started for other data, since no run waits for
 * them any more.
 */
export async function stepVersion(
  personalize: Personalize,
  solutionArn: string,
  of: string,
  current: string | undefined,
): Promise<Step & { version?: string }> {
  if (current !== undefined) {
    const found = await describeVersion(personalize, current);
    if (found && isMoving(found.status)) return { moving: found.status ?? "", version: current };
    if (found && hasFailed(found.status)) throw failed(`The solution version ${current}`, found);
    if (found) return { found: current };
  }
  const versions = await ourVersions(personalize, solutionArn);
  const start = `${OURS}${shortHash(of, 12)}-`;
  const own = versions.filter(({ name }) => name?.startsWith(start));
  const good = own.find(({ status }) => !hasFailed(status) && !isStopping(status));
  if (good) {
    const version = good.solutionVersionArn ?? "";
    return isMoving(good.status) ? { moving: good.status ?? "", version } : { found: version };
  }
  for (const { solutionVersionArn, status } of versions) {
    if (!isMoving(status) || isStopping(status)) continue;
    await ifFree(personalize.send(new StopSolutionVersionCreationCommand({ solutionVersionArn })));
  }
  const command = { solutionArn, name: `${start}${own.length + 1}`, trainingMode: "FULL" } as const;
  try {
    const created = await ifNew(personalize.send(new CreateSolutionVersionCommand(command)));
    const version = created?.solutionVersionArn;
    return { moving: "CREATE PENDING", ...(version !== undefined && { version }) };
  } catch (error) {
    if (isCrowded(error)) return { moving: "waiting for other trainings of the account" };
    throw error;
  }
}

async function ourVersions(personalize: Personalize, solutionArn: string): Promise<SolutionVersion[]> {
  const described: SolutionVersion[] = [];
  // The list has no names, so describe each version. One at a time, because these calls are throttled early.
  for (const { solutionVersionArn = "" } of await listVersions(personalize, solutionArn)) {
    const version = await describeVersion(personalize, solutionVersionArn);
    if (version?.name?.startsWith(OURS)) described.push(version);
  }
  return described;
}

const DATASET_TYPES = { Item: "ITEMS", User: "USERS", Interaction: "INTERACTIONS" } as const satisfies Record<
  keyof typeof DATASET_NAMES,
  string
>;

/** The input of CreateSolution. The name is derived from the settings. */
type SolutionInput = CreateSolutionRequest & { name: string };

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
