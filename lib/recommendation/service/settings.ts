import * as v from "valibot";
import { RECIPE_KINDS } from "../../config/recipes.ts";
import { DefinitionFiles } from "../etl/settings.ts";

const Name = v.pipe(v.string(), v.nonEmpty());
const Milliseconds = v.pipe(v.number(), v.integer(), v.minValue(1));

/**
 * What `recommendation-api` reads at start from `config.json` beside its bundle: what is too long for environment
 * variables. Written by the build from the YAML files, so plain and complete: no defaults here.
 */
export const RecommendationSettings = v.object({
  /** project_name; a dimension of the metrics. */
  project: Name,
  /** Parameter with the ARN of the active campaign, by configured recipe. */
  campaigns: v.partial(v.object(v.entriesFromList(RECIPE_KINDS, Name))),
  /** Parameter with the event tracker's id. */
  event_tracker: Name,
  filters: v.array(
    v.object({
      name: Name,
      expression: Name,
      /** Name in Personalize of the filter that has this expression. */
      resource: Name,
      /** Parameter with the ARN of the filter that the name stands for now. */
      parameter: Name,
    }),
  ),
  /** The generated schema files. */
  definitions: DefinitionFiles,
  timeouts: v.object({
    /** One call of a campaign. */
    campaign_ms: Milliseconds,
    /** One call of a table, of Firehose or of the parameter store. */
    store_ms: Milliseconds,
    /** All that the real-time path of one request may take. */
    realtime_ms: Milliseconds,
  }),
  cors: v.optional(v.object({ allow_origins: v.array(v.string()) })),
});

export type RecommendationSettings = v.InferOutput<typeof RecommendationSettings>;

/** One filter of the settings. */
export type FilterSettings = RecommendationSettings["filters"][number];

/** What `realtime-sync` reads from `config.json` beside its bundle. */
export const RealtimeSyncSettings = v.object({ project: Name, definitions: DefinitionFiles });

export type RealtimeSyncSettings = v.InferOutput<typeof RealtimeSyncSettings>;

/** Columns of the items CSV, in its order: what an item's record in an answer has. */
export function itemColumns({ definitions }: Pick<RecommendationSettings, "definitions">): string[] {
  return definitions.etl.item.columns.map(({ name }) => name).filter((name) => name !== "IS_ACTIVE");
}
