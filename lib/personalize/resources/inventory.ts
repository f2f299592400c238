import { DescribeSchemaCommand, GetSolutionMetricsCommand } from "@aws-sdk/client-personalize";
import { ignoreNotFound } from "../../platform/aws/errors.ts";
import { DATASETS, type Dataset, RECIPE_KINDS, type RecipeKind } from "../../platform/contract/recommendation.ts";
import type { Names } from "../../platform/naming/names.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import { describeCampaign } from "./campaign.ts";
import { describeDataset } from "./dataset.ts";
import { describeDatasetGroup, findEventTracker } from "./dataset-group.ts";
import { describeFilter } from "./filter.ts";
import type { Life } from "./managing.ts";
import { listFilters, listSolutions, listVersions, type Personalize } from "./personalize.ts";

/** The fields of every entry. Times are ISO 8601. */
interface Entry {
  name: string;
  arn: string;
  status: string;
  failure_reason?: string;
  last_updated?: string;
}

/**
 * A project's resources in Personalize. Fields are in snake case, since `--json` and `describe` return them unchanged.
 */
export interface Inventory {
  dataset_group: Entry | null;
  datasets: (Entry & { dataset: Dataset; schema_arn: string; schema: unknown })[];
  event_tracker: (Entry & { tracking_id: string }) | null;
  filters: (Entry & { expression: string })[];
  solutions: (Entry & { recipe: RecipeKind | null; recipe_arn: string; versions: Version[] })[];
  campaigns: (Entry & {
    recipe: RecipeKind;
    solution_version_arn: string;
    min_provisioned_tps: number;
    /** Absent if the campaign has Personalize's defaults. */
    exploration?: Readonly<Record<string, string>>;
    update?: Entry;
  })[];
}

/** A solution version, with Personalize's offline metrics. */
export interface Version extends Entry {
  training_mode: string;
  metrics?: Readonly<Record<string, number>>;
}

/** Concurrent calls. Few, since Personalize throttles early. */
const PARALLEL = 4;

/** Reads a project's resources in Personalize. `metrics` takes one more call for each solution version. */
export async function readInventory(
  personalize: Personalize,
  names: Names,
  { metrics = false } = {},
): Promise<Inventory> {
  const group = await describeDatasetGroup(personalize, names);
  if (!group) {
    return { dataset_group: null, datasets: [], event_tracker: null, filters: [], solutions: [], campaigns: [] };
  }
  const [datasets, event_tracker, filters, solutions, campaigns] = await Promise.all([
    readDatasets(personalize, names),
    readEventTracker(personalize, names),
    readFilters(personalize, names),
    readSolutions(personalize, names, { metrics }),
    readCampaigns(personalize, names),
  ]);
  const dataset_group = entry(group, group.name, names.datasetGroupArn());
  return { dataset_group, datasets, event_tracker, filters, solutions, campaigns };
}

interface Described extends Life {
  lastUpdatedDateTime?: Date | undefined;
}

function entry({ status, failureReason, lastUpdatedDateTime }: Described, name = "", arn = ""): Entry {
  return {
    name,
    arn,
    status: status ?? "",
    ...(failureReason !== undefined && { failure_reason: failureReason }),
    ...(lastUpdatedDateTime && { last_updated: lastUpdatedDateTime.toISOString() }),
  };
}

async function readDatasets(personalize: Personalize, names: Names): Promise<Inventory["datasets"]> {
  const found = await concurrently(DATASETS, PARALLEL, async (dataset) => {
    const arn = names.datasetArn(dataset);
    const one = await describeDataset(personalize, arn);
    if (!one) return [];
    const { schemaArn = "" } = one;
    const schema = (await ignoreNotFound(personalize.send(new DescribeSchemaCommand({ schemaArn }))))?.schema?.schema;
    return [
      { ...entry(one, one.name, arn), dataset, schema_arn: schemaArn, schema: JSON.parse(schema ?? "null") as unknown },
    ];
  });
  return found.flat();
}

async function readEventTracker(personalize: Personalize, names: Names): Promise<Inventory["event_tracker"]> {
  const tracker = await findEventTracker(personalize, names);
  if (!tracker) return null;
  return { ...entry(tracker, tracker.name, tracker.eventTrackerArn), tracking_id: tracker.trackingId ?? "" };
}

async function readFilters(personalize: Personalize, names: Names): Promise<Inventory["filters"]> {
  const listed = await listFilters(personalize, names.datasetGroupArn());
  const found = await concurrently(listed, PARALLEL, async ({ filterArn }) => {
    const filter = await describeFilter(personalize, filterArn);
    return filter ? [{ ...entry(filter, filter.name, filterArn), expression: filter.filterExpression ?? "" }] : [];
  });
  return found.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the recipe of a solution from its name: the project's solution names end in a hash of eight hex digits. */
export function recipeOfSolution(names: Names, solution: string): RecipeKind | undefined {
  return RECIPE_KINDS.find((recipe) => {
    const prefix = names.solutionPrefix(recipe);
    return solution.startsWith(prefix) && /^[0-9a-f]{8}$/.test(solution.slice(prefix.length));
  });
}

/**
 * Returns the solutions of the project's dataset group with their versions. Describes nothing, so that a caller does
 * not need permissions for solutions that others created in the group. Requires that the group exists.
 */
export async function readSolutions(
  personalize: Personalize,
  names: Names,
  { metrics = false } = {},
): Promise<Inventory["solutions"]> {
  const listed = await listSolutions(personalize, names.datasetGroupArn());
  return concurrently(listed, PARALLEL, async (solution) => {
    const { name = "", solutionArn, recipeArn = "" } = solution;
    const versions = await listVersions(personalize, solutionArn);
    return {
      ...entry(solution, name, solutionArn),
      recipe: recipeOfSolution(names, name) ?? null,
      recipe_arn: recipeArn,
      versions: await concurrently(versions, PARALLEL, async (version) => {
        const { solutionVersionArn = "", trainingMode = "" } = version;
        const name = solutionVersionArn.slice(solutionVersionArn.lastIndexOf("/") + 1);
        const measured =
          metrics && version.status === "ACTIVE"
            ? await ignoreNotFound(personalize.send(new GetSolutionMetricsCommand({ solutionVersionArn })))
            : undefined;
        return {
          ...entry(version, name, solutionVersionArn),
          training_mode: trainingMode,
          ...(measured?.metrics && { metrics: measured.metrics }),
        };
      }),
    };
  });
}

/** Returns the existing campaigns of the project's recipes. */
export async function readCampaigns(personalize: Personalize, names: Names): Promise<Inventory["campaigns"]> {
  const found = await concurrently(RECIPE_KINDS, PARALLEL, async (recipe) => {
    const arn = names.campaignArn(recipe);
    const campaign = await describeCampaign(personalize, arn);
    if (!campaign) return [];
    const { solutionVersionArn = "", minProvisionedTPS = 0, latestCampaignUpdate: update } = campaign;
    const { itemExplorationConfig: exploration } = campaign.campaignConfig ?? {};
    return [
      {
        ...entry(campaign, campaign.name, arn),
        recipe,
        solution_version_arn: solutionVersionArn,
        min_provisioned_tps: minProvisionedTPS,
        ...(exploration && { exploration }),
        ...(update && { update: entry(update, campaign.name, arn) }),
      },
    ];
  });
  return found.flat();
}
