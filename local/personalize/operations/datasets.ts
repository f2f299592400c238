import * as v from "valibot";
import type { Account } from "../account.ts";
import { datasetTypeOf, parseSchema } from "../data/avro-schema.ts";
import { ARN, NAME, PAGE, TAGS, text } from "../members.ts";
import type { Dataset, DatasetType } from "../resources.ts";
import { inUse, invalid } from "../service-error.ts";
import {
  beginDeletion,
  dates,
  inProgress,
  type Operation,
  operation,
  page,
  requireActive,
  seconds,
  state,
} from "./operation.ts";

const TYPES: readonly DatasetType[] = ["INTERACTIONS", "ITEMS", "USERS"];
const ByArn = v.strictObject({ datasetArn: ARN });

const summary = (dataset: Dataset) => ({
  name: dataset.name,
  datasetArn: dataset.arn,
  datasetType: dataset.datasetType,
  ...state(dataset),
  ...dates(dataset),
});

/** The operations on datasets. A group has at most one of each type. */
export const DATASETS: Readonly<Record<string, Operation>> = {
  CreateDataset: operation(
    v.strictObject({
      name: NAME,
      schemaArn: ARN,
      datasetGroupArn: ARN,
      datasetType: text(256, { pattern: /^[A-Za-z_]+$/ }),
      tags: TAGS,
    }),
    ({ name, schemaArn, datasetGroupArn, datasetType, tags }, account) => {
      const type = TYPES.find((candidate) => candidate === datasetType.toUpperCase());
      if (!type) throw invalid(`datasetType must be Interactions, Items or Users here, got ${datasetType}.`);
      const group = account.find("dataset-group", datasetGroupArn);
      requireActive(group);
      requireSchemaFor(account, schemaArn, type);
      const arn = account.arn(`dataset/${group.name}/${type}`);
      account.add({ kind: "dataset", arn, name, groupArn: group.arn, datasetType: type, schemaArn }, tags);
      return { datasetArn: arn };
    },
  ),
  DescribeDataset: operation(ByArn, ({ datasetArn }, account) => {
    const dataset = account.find("dataset", datasetArn);
    const { groupArn, schemaArn, schemaUpdate } = dataset;
    const latestDatasetUpdate = schemaUpdate && {
      schemaArn: schemaUpdate.schemaArn,
      status: schemaArn === schemaUpdate.schemaArn ? "ACTIVE" : "CREATE IN_PROGRESS",
      creationDateTime: seconds(schemaUpdate.createdAt),
      lastUpdatedDateTime: seconds(dataset.updatedAt),
    };
    return {
      dataset: {
        ...summary(dataset),
        datasetGroupArn: groupArn,
        schemaArn,
        ...(latestDatasetUpdate && { latestDatasetUpdate }),
      },
    };
  }),
  ListDatasets: operation(v.strictObject({ datasetGroupArn: v.optional(ARN), ...PAGE }), (input, account) => {
    const own = account.list("dataset").filter(({ groupArn }) => groupArn === (input.datasetGroupArn ?? groupArn));
    const { shown, next } = page(own, input);
    return { datasets: shown.map(summary), ...next };
  }),
  UpdateDataset: operation(
    v.strictObject({ datasetArn: ARN, schemaArn: ARN }),
    ({ datasetArn, schemaArn }, account) => {
      const dataset = account.find("dataset", datasetArn);
      requireActive(dataset);
      requireSchemaFor(account, schemaArn, dataset.datasetType);
      requireCompatible(account, dataset, schemaArn);
      dataset.schemaUpdate = { schemaArn, createdAt: account.now() };
      account.changed();
      return { datasetArn };
    },
  ),
  DeleteDataset: operation(ByArn, ({ datasetArn }, account) => {
    const dataset = account.find("dataset", datasetArn);
    const importing = account
      .list("dataset-import-job")
      .find((job) => job.datasetArn === datasetArn && inProgress(job));
    const solutions = account.list("solution").filter(({ groupArn }) => groupArn === dataset.groupArn);
    const training = account
      .list("solution-version")
      .find((version) => inProgress(version) && solutions.some(({ arn }) => arn === version.solutionArn));
    const busy = importing ?? training;
    if (busy) throw inUse(`Dataset ${datasetArn} is in use by ${busy.arn}, which is ${busy.status}.`);
    return beginDeletion(dataset, account);
  }),
};

function requireSchemaFor(account: Account, schemaArn: string, type: DatasetType): void {
  const schema = parseSchema(account.find("schema", schemaArn).schema);
  if (datasetTypeOf(schema) !== type) {
    throw invalid(`The schema ${schemaArn} is for ${schema.name}, the dataset is of type ${type}.`);
  }
}

/** Rejects a new schema unless it only adds nullable columns. The schema of Interactions can never be replaced. */
function requireCompatible(account: Account, dataset: Dataset, schemaArn: string): void {
  if (dataset.datasetType === "INTERACTIONS") {
    throw invalid(`The schema of the interactions dataset ${dataset.arn} cannot be replaced.`);
  }
  const before = account.schemaOf(dataset).fields;
  const after = parseSchema(account.find("schema", schemaArn).schema).fields;
  for (const { name, types, categorical = false, textual = false } of before) {
    const kept = after.find((field) => field.name === name);
    if (!kept || kept.types.join() !== types.join()) {
      throw invalid(`The new schema must keep the field ${name} with its type ${types.join(" or ")}.`);
    }
    if ((kept.categorical ?? false) !== categorical || (kept.textual ?? false) !== textual) {
      throw invalid(`The new schema must keep the attributes of the field ${name}.`);
    }
  }
  for (const { name, types } of after) {
    if (!before.some((field) => field.name === name) && !types.includes("null")) {
      throw invalid(`The new field ${name} must allow null, since the existing records lack it.`);
    }
  }
}
