import * as v from "valibot";
import { EventTypeChoice } from "../../config/event-types.ts";
import { RECIPE_KINDS, RECOMMENDING_RECIPES } from "../../core/contract/recommendation.ts";
import { accessEntries } from "../../core/http/access.ts";
import { LoggingSettings } from "../../core/request-log/settings.ts";
import { Definitions } from "../records/layout.ts";

const Name = v.pipe(v.string(), v.nonEmpty());
const Milliseconds = v.pipe(v.number(), v.integer(), v.minValue(1));

/**
 * The settings that `recommendation-api` reads at start from the `config.json` beside its bundle, because they are too
 * long for environment variables. The build writes that file from the YAML files and fills in every default, so this
 * schema has none.
 */
export const RecommendationSettings = v.object({
  /** project_name. It is a dimension of the metrics. */
  project: Name,
  /** By configured recipe: the parameter that holds the ARN of the active campaign. */
  campaigns: v.partial(v.object(v.entriesFromList(RECIPE_KINDS, Name))),
  /** The kinds that the built-in engine answers. */
  built_in: v.array(v.picklist(RECOMMENDING_RECIPES)),
  /** Whether the campaign of similar items knows nothing of rare items but what is popular. */
  rare_items_by_text: v.boolean(),
  /** The parameter that holds the event tracker's id. */
  event_tracker: Name,
  filters: v.array(
    v.object({
      name: Name,
      expression: Name,
      /** The name in Personalize of the filter with this expression. */
      resource: Name,
      /** The parameter that holds the ARN of the current filter. */
      parameter: Name,
    }),
  ),
  /** The event types to pass on to Personalize. */
  event_types: EventTypeChoice,
  /** The generated schema files. */
  definitions: Definitions,
  timeouts: v.object({
    /** For one call to a campaign. */
    campaign_ms: Milliseconds,
    /** For one call to a table, Firehose or the parameter store. */
    store_ms: Milliseconds,
    /** For the whole real-time path of one request. */
    realtime_ms: Milliseconds,
  }),
  /** Milliseconds for which the record of an item is kept in memory; 0 reads it for each answer. */
  item_cache_ms: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** How users are named in the request log. */
  logging: LoggingSettings,
  ...accessEntries,
  cors: v.optional(v.object({ allow_origins: v.array(v.string()) })),
});

export type RecommendationSettings = v.InferOutput<typeof RecommendationSettings>;

/** One filter of the settings. */
export type FilterSettings = RecommendationSettings["filters"][number];

/** The settings that `realtime-sync` reads from the `config.json` beside its bundle. */
export const RealtimeSyncSettings = v.object({ project: Name, definitions: Definitions });

export type RealtimeSyncSettings = v.InferOutput<typeof RealtimeSyncSettings>;
