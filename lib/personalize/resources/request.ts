import * as v from "valibot";
import { DATASETS, RECIPE_KINDS } from "../../platform/contract/recommendation.ts";
import { AvroSchema } from "../../settings/avro.ts";
import { FILTER_LIMITS, NAME_PATTERN } from "../limits.ts";

const Name = v.pipe(v.string(), v.regex(NAME_PATTERN, "is not a name that Personalize accepts"));

const common = {
  /** `plan` changes this value if the resource differs from its input. The value itself has no meaning here. */
  repair: v.optional(v.string()),
  /** Whether deletion is allowed. For resources with data, only the synthesis for `uninstall` allows it. */
  deletable: v.optional(v.boolean(), false),
};

/** Tags of the resource. Schemas have none. */
const tags = v.optional(
  v.record(v.pipe(v.string(), v.minLength(1), v.maxLength(128)), v.pipe(v.string(), v.maxLength(256))),
  {},
);

/** The dataset group: one for each project. */
export const DatasetGroupInput = v.strictObject({ kind: v.literal("dataset_group"), name: Name, tags, ...common });

/** A schema. Personalize cannot change it, so changed content gets a new name. */
export const SchemaInput = v.strictObject({
  kind: v.literal("schema"),
  name: Name,
  schema: v.union(DATASETS.map((dataset) => AvroSchema(dataset))),
  ...common,
});

/** A dataset of the group. A new schema updates it in place, as far as Personalize allows. */
export const DatasetInput = v.strictObject({
  kind: v.literal("dataset"),
  name: Name,
  dataset: v.picklist(DATASETS),
  /** Name of the schema. */
  schema: Name,
  tags,
  ...common,
});

/** The event tracker: one for each dataset group. */
export const EventTrackerInput = v.strictObject({ kind: v.literal("event_tracker"), name: Name, tags, ...common });

/** A filter. Personalize cannot change it, so a changed expression gets a new name. */
export const FilterInput = v.strictObject({
  kind: v.literal("filter"),
  /** The filter's name in filter.yaml, which requests use. */
  filter: Name,
  name: Name,
  expression: v.pipe(v.string(), v.minLength(1), v.maxLength(FILTER_LIMITS.expressionCharacters)),
  tags,
  ...common,
});

/** How a campaign tries out new items, as Personalize writes it. */
export const Exploration = v.strictObject({ explorationWeight: v.string(), explorationItemAgeCutOff: v.string() });

export type Exploration = v.InferOutput<typeof Exploration>;

/** The campaign of a recipe. */
export const CampaignInput = v.strictObject({
  kind: v.literal("campaign"),
  name: Name,
  recipe: v.picklist(RECIPE_KINDS),
  min_provisioned_tps: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** Of a recipe that explores. */
  exploration: v.optional(Exploration),
  tags,
  ...common,
});

/** The desired state of one resource: Terraform's `input`. */
export const ResourceInput = v.variant("kind", [
  DatasetGroupInput,
  SchemaInput,
  DatasetInput,
  EventTrackerInput,
  FilterInput,
  CampaignInput,
]);

export type DatasetGroupInput = v.InferOutput<typeof DatasetGroupInput>;
export type SchemaInput = v.InferOutput<typeof SchemaInput>;
export type DatasetInput = v.InferOutput<typeof DatasetInput>;
export type EventTrackerInput = v.InferOutput<typeof EventTrackerInput>;
export type FilterInput = v.InferOutput<typeof FilterInput>;
export type CampaignInput = v.InferOutput<typeof CampaignInput>;
export type ResourceInput = v.InferOutput<typeof ResourceInput>;

/** The `input` that stacks write, without defaults. */
export type ResourceInputGiven = v.InferInput<typeof ResourceInput>;

/** The fields that `aws_lambda_invocation` with lifecycle scope CRUD adds to the input. */
export const Terraform = v.looseObject({
  action: v.picklist(["create", "update", "delete"]),
  prev_input: v.optional(v.nullable(v.unknown())),
});

export type Terraform = v.InferOutput<typeof Terraform>;

/** The result of an invocation, which `aws_lambda_invocation` stores as `result`. */
export interface ResourceState {
  kind: ResourceInput["kind"];
  name: string;
  /** Null if the resource does not exist yet, or no longer exists. */
  arn: string | null;
  /** Personalize's status, `awaiting training` for a campaign without a version, `may be deleted`, or `deleted`. */
  status: string;
}
