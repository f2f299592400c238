import * as v from "valibot";
import type { Account } from "../account.ts";
import { datasetTypeOf, parseSchema } from "../data/avro-schema.ts";
import { ARN, NAME, TAGS, text } from "../members.ts";
import { DATASET_TYPES, type Dataset, type DatasetType } from "../resources.ts";
import { inUse, invalid } from "../service-error.ts";
import {
  BY_GROUP,
  beginDeletion,
  beginUpdate,
  describing,
  inProgress,
  listing,
  type Operation,
  onResource,
  operation,
  requireActive,
  summaryOf,
  updateSummary,
} from "./operation.ts";

const summary = (dataset: Dataset) => ({ ...summaryOf(dataset), datasetType: dataset.datasetType });

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
      const type = DATASET_TYPES.find((candidate) => candidate === datasetType.toUpperCase());
      if (!type) throw invalid(`datasetType must be Interactions, Items or Users here, got ${datasetType}.`);
      const group = account.find("dataset-group", datasetGroupArn);
      requireActive(group);
      requireSchemaFor(account, schemaArn, type);
      const arn = account.arn(`dataset/${group.name}/${type}`);
      return account.add({ kind: "dataset", arn, name, groupArn: group.arn, datasetType: type, schemaArn }, { tags });
    },
  ),
  DescribeDataset: describing("dataset", (dataset) => {
    const { groupArn: datasetGroupArn, schemaArn, update } = dataset;
    const latest = update && { latestDatasetUpdate: updateSummary(update) };
    return { ...summary(dataset), datasetGroupArn, schemaArn, ...latest };
  }),
  ListDatasets: listing("dataset", summary, BY_GROUP),
  UpdateDataset: operation(
    v.strictObject({ datasetArn: ARN, schemaArn: ARN }),
    ({ datasetArn, schemaArn }, account) => {
      const dataset = account.find("dataset", datasetArn);
      requireActive(dataset);
      requireSchemaFor(account, schemaArn, dataset.datasetType);
      requireCompatible(account, dataset, schemaArn);
      beginUpdate(dataset, { schemaArn }, account);
      return { datasetArn };
    },
  ),
  DeleteDataset: onResource("dataset", (dataset, account) => {
    const jobs = account.list("dataset-import-job");
    const importing = jobs.find((job) => job.datasetArn === dataset.arn && inProgress(job));
    const solutions = account.list("solution").filter(({ groupArn }) => groupArn === dataset.groupArn);
    const training = account
      .list("solution-version")
      .find((version) => inProgress(version) && solutions.some(({ arn }) => arn === version.solutionArn));
    const busy = importing ?? training;
    if (busy) throw inUse(`Dataset ${dataset.arn} is in use by ${busy.arn}, which is ${busy.status}.`);
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
