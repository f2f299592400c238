import type { ResourceInputGiven } from "../../../../lib/personalize/resources/request.ts";
import type { Names } from "../../../../lib/platform/naming/names.ts";
import { DEFINITIONS } from "../../recommendation/etl/run.ts";

const DATASETS = ["user", "item", "interaction"] as const;

/** What stacks declare before there is a campaign: group, schemas, datasets, event tracker. */
export function basicInputs(names: Names, common: { deletable?: boolean } = {}): ResourceInputGiven[] {
  const schemaName = (dataset: (typeof DATASETS)[number]) => names.schema(dataset, DEFINITIONS.schemas[dataset]);
  return [
    { kind: "dataset_group", name: names.datasetGroup(), ...common },
    ...DATASETS.map((dataset) => ({
      kind: "schema" as const,
      name: schemaName(dataset),
      schema: DEFINITIONS.schemas[dataset],
      ...common,
    })),
    ...DATASETS.map((dataset) => ({
      kind: "dataset" as const,
      name: names.dataset(dataset),
      dataset,
      schema: schemaName(dataset),
      ...common,
    })),
    { kind: "event_tracker", name: names.eventTracker(), ...common },
  ];
}

/** A filter with this expression. */
export function filterInput(
  names: Names,
  filter: string,
  expression: string,
  common: { deletable?: boolean } = {},
): Extract<ResourceInputGiven, { kind: "filter" }> {
  return { kind: "filter", filter, name: names.filter(filter, expression), expression, ...common };
}
