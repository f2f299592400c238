import type { Inventory } from "@relevance/lib/personalize/resources/inventory.ts";
import type { ResourceInputGiven, ResourceState } from "@relevance/lib/personalize/resources/request.ts";
import {
  DATASETS,
  type Dataset,
  RECIPE_KINDS,
  type RecipeKind,
} from "@relevance/lib/platform/contract/recommendation.ts";
import { campaignSettings } from "@relevance/lib/settings/campaign-settings.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { invoke, type RecommendationParts } from "./recommendation-functions.ts";

/**
 * Runs the deployment steps "initialize personalization resources" and "synchronize filters", and creates the campaigns
 * of models trained earlier. Calls personalize-manager once per resource, as Terraform does. Returns the recipes that
 * have a campaign. Throws LocalError with the manager's reason and what to do.
 */
export async function convergePersonalize(parts: RecommendationParts): Promise<RecipeKind[]> {
  const { names, recommendation } = parts;
  const { schemas } = recommendation;
  const schemaName = (dataset: Dataset) => names.schema(dataset, schemas[dataset]);
  await Promise.all([
    create(parts, { kind: "dataset_group", name: names.datasetGroup() }),
    ...DATASETS.map((dataset) =>
      create(parts, { kind: "schema", name: schemaName(dataset), schema: schemas[dataset] }),
    ),
  ]);
  await Promise.all([
    create(parts, { kind: "event_tracker", name: names.eventTracker() }),
    ...DATASETS.map((dataset) =>
      create(parts, { kind: "dataset", name: names.dataset(dataset), dataset, schema: schemaName(dataset) }),
    ),
  ]);
  const [campaigns] = await Promise.all([convergeCampaigns(parts), synchronizeFilters(parts)]);
  return campaigns;
}

async function convergeCampaigns(parts: RecommendationParts): Promise<RecipeKind[]> {
  const { names, recommendation } = parts;
  const configured = RECIPE_KINDS.filter((recipe) => recommendation.solution.recipes[recipe] !== undefined);
  const states = await Promise.all(
    configured.map(async (recipe) => {
      const settings = campaignSettings(recommendation, recipe);
      return create(parts, { kind: "campaign", name: names.campaign(recipe), recipe, ...settings });
    }),
  );
  return configured.filter((_, index) => states[index]?.arn != null);
}

/** Creates new filters first, then deletes those that filter.yaml no longer contains. */
async function synchronizeFilters(parts: RecommendationParts): Promise<void> {
  const { names, recommendation } = parts;
  const wanted = recommendation.filters.map(({ name: filter, expression }) => {
    return { kind: "filter", filter, name: names.filter(filter, expression), expression } as const;
  });
  await Promise.all(wanted.map((filter) => create(parts, filter)));

  const { filters } = (await invoke(parts, "personalize-manager", { action: "describe" })) as Inventory;
  const gone = filters.filter(({ name }) => wanted.every((filter) => filter.name !== name));
  await Promise.all(
    gone.map(({ name, expression }) => {
      const filter = filterName(names.datasetGroup(), name);
      return send(parts, "delete", { kind: "filter", filter, name, expression, deletable: true });
    }),
  );
}

/** Returns the filter in `<project>-<filter>-<number>`. For a shortened name the result matches no pointer. */
function filterName(project: string, name: string): string {
  return name.slice(project.length + 1).replace(/-\d+$/, "");
}

const create = (parts: RecommendationParts, input: ResourceInputGiven) => send(parts, "create", input);

async function send(
  parts: RecommendationParts,
  action: "create" | "delete",
  input: ResourceInputGiven,
): Promise<ResourceState> {
  try {
    return (await invoke(parts, "personalize-manager", {
      ...input,
      tf: { action, prev_input: null },
    })) as ResourceState;
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    throw new LocalError(
      `${error.message}\nDoes the data of an earlier start not fit the configuration any more? ` +
        "`make dev ARGS=--reset-recommendation` starts without it",
      { cause: error },
    );
  }
}
