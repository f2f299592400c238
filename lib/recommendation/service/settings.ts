import type { RecipeKind } from "../../platform/contract/recommendation.ts";
import type { AccessSettings } from "../../platform/http/access.ts";
import type { LoggingSettings } from "../../platform/request-log/settings.ts";
import type { EventTypeChoice } from "../../settings/event-types.ts";
import type { LearnedEvents } from "../built-in/learned-events.ts";
import type { Definitions } from "../records/layout.ts";

/** One filter of the settings. */
export interface FilterSettings {
  name: string;
  expression: string;
  /** The name in Personalize of the filter with this expression. */
  resource: string;
  /** The parameter that holds the ARN of the current filter. */
  parameter: string;
}

/**
 * The settings that `recommendation-api` reads at start from the `config.json` beside its bundle, because they are too
 * long for environment variables. The build writes that file from the YAML files and fills in every default.
 */
export interface RecommendationSettings extends AccessSettings {
  /** project_name. It is a dimension of the metrics. */
  project: string;
  /** By configured recipe: the parameter that holds the ARN of the active campaign. */
  campaigns: Partial<Record<RecipeKind, string>>;
  /** The kinds of recipes for which the built-in engine makes the lists. */
  built_in: RecipeKind[];
  /** The events that the built-in engine learns from. */
  learned_events: LearnedEvents;
  /** Whether the campaign for similar items returns only popular items for rare items. */
  rare_items_by_text: boolean;
  /** The parameter that holds the event tracker's id. */
  event_tracker: string;
  filters: FilterSettings[];
  /** The event types to pass on to Personalize. */
  event_types: EventTypeChoice;
  /** The generated schema files. */
  definitions: Definitions;
  timeouts: {
    /** For one call to a campaign. */
    campaign_ms: number;
    /** For one call to a table, Firehose or the parameter store. */
    store_ms: number;
    /** For the whole real-time path of one request. */
    realtime_ms: number;
  };
  /** Milliseconds for which the record of an item is kept in memory; 0 reads it for each answer. */
  item_cache_ms: number;
  /** How users are named in the request log. */
  logging: LoggingSettings;
  cors?: { allow_origins: string[] };
}

/** The settings that `realtime-sync` reads from the `config.json` beside its bundle. */
export type RealtimeSyncSettings = Pick<RecommendationSettings, "project" | "definitions">;
