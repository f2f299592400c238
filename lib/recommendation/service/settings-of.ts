import { RECIPE_KINDS } from "../../platform/contract/recommendation.ts";
import type { Names } from "../../platform/naming/names.ts";
import { accessSettings } from "../../settings/access.ts";
import { recipeOf } from "../../settings/campaign-settings.ts";
import type { Configuration, Recommendation } from "../../settings/configuration.ts";
import { eventTypeChoice } from "../../settings/event-types.ts";
import { loggingSettings } from "../../settings/logging.ts";
import { learnedEvents } from "../built-in/learned-events.ts";
import type { Definitions } from "../records/layout.ts";
import type { RealtimeSyncSettings, RecommendationSettings } from "./settings.ts";

/** A campaign answers in well under a second. This timeout leaves time to fall back to popular items. */
const CAMPAIGN_MS = 5_000;
const STORE_MS = 3_000;
const REALTIME_MS = 3_000;

/** A changed item appears in every answer after this time at the latest (docs/guides/recommendations.md). */
const ITEM_CACHE_MS = 10_000;

/** Returns the `config.json` of recommendation-api: the part of the configuration that it uses. */
export function recommendationSettings(
  { project, api }: Pick<Configuration, "project" | "api">,
  recommendation: Recommendation,
  names: Names,
): RecommendationSettings {
  const { solution, filters } = recommendation;
  const configured = RECIPE_KINDS.filter((kind) => solution.recipes[kind] !== undefined);
  return {
    project: project.project_name,
    campaigns: Object.fromEntries(configured.map((kind) => [kind, names.campaignParameter(kind)])),
    // A kind without a recipe has no campaign.
    built_in: RECIPE_KINDS.filter((kind) => !configured.includes(kind) || solution.built_in?.includes(kind)),
    learned_events: learnedEvents(solution.recipes),
    // aws-similar-items uses the columns of items itself, so it needs no text neighbours.
    rare_items_by_text:
      solution.recipes.similar_items !== undefined && recipeOf(recommendation, "similar_items").name === "aws-sims",
    event_tracker: names.eventTrackerParameter(),
    filters: filters.map(({ name, expression }) => ({
      name,
      expression,
      resource: names.filter(name, expression),
      parameter: names.filterParameter(name),
    })),
    event_types: eventTypeChoice(recommendation),
    definitions: definitionsOf(recommendation),
    timeouts: { campaign_ms: CAMPAIGN_MS, store_ms: STORE_MS, realtime_ms: REALTIME_MS },
    item_cache_ms: ITEM_CACHE_MS,
    logging: loggingSettings({ api }, names),
    ...accessSettings(api, names),
    ...(api.cors && { cors: { allow_origins: [...api.cors.allow_origins] } }),
  };
}

/** Returns the `config.json` of realtime-sync. */
export function realtimeSyncSettings(
  { project }: Pick<Configuration, "project">,
  recommendation: Recommendation,
): RealtimeSyncSettings {
  return { project: project.project_name, definitions: definitionsOf(recommendation) };
}

/** Returns the rules for records: all that functions and the checks of files read of the configuration. */
export function definitionsOf({ schemas, etl, personalize }: Recommendation): Definitions {
  const { files: _, ...columns } = etl;
  const { refuse } = personalize.ids;
  return { schemas: { ...schemas }, etl: columns, ...(refuse.length > 0 && { refuse: [...refuse] }) };
}
