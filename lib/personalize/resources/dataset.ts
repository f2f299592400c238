import {
  CreateDatasetCommand,
  type Dataset,
  DeleteDatasetCommand,
  DescribeDatasetCommand,
  UpdateDatasetCommand,
} from "@aws-sdk/client-personalize";
import { ifThere, isDeleted, isNamed } from "../../aws/errors.ts";
import { RECORD_NAMES } from "../../config/avro.ts";
import { busyWith } from "./held.ts";
import { ManagerError } from "./manager-error.ts";
import type { Managing } from "./managing.ts";
import { ifNew, type Personalize } from "./personalize.ts";
import type { DatasetInput, ResourceState } from "./request.ts";
import { removeSuperseded, schemaArn } from "./schema.ts";
import { tagList } from "./tags.ts";
import { failed, hasFailed, type Life, untilActive, untilGone, untilSettled } from "./waiting.ts";

/**
 * Creates the dataset if it does not exist, changes it to the schema of the input, and waits for both. Deletes its
 * previous schemas, even if an earlier invocation started the change and timed out.
 */
export async function convergeDataset(managing: Managing, input: DatasetInput): Promise<ResourceState> {
  const { personalize, names, patience } = managing;
  const { kind, name, dataset } = input;
  const what = `The dataset ${name}`;
  const arn = names.datasetArn(dataset);
  const wanted = schemaArn(managing, input.schema);
  const look = () => describeDataset(personalize, arn);

  const before = await untilSettled(what, patience, look);
  if (before && hasFailed(before.status)) await deleteDataset(managing, input);
  if (!before || hasFailed(before.status)) {
    const type = { schemaArn: wanted, datasetGroupArn: names.datasetGroupArn(), datasetType: RECORD_NAMES[dataset] };
    await ifNew(personalize.send(new CreateDatasetCommand({ name, ...type, tags: tagList(input.tags) })));
  }
  const found = await untilActive(what, patience, look);
  if (found.schemaArn !== wanted) await changeSchema(managing, arn, what, wanted);
  await removeSuperseded(managing, dataset, input.schema);
  return { kind, name, arn, status: "ACTIVE" };
}

/** Deletes the dataset with its imported data. */
export async function deleteDataset(managing: Managing, { name, dataset }: DatasetInput): Promise<void> {
  const { personalize, names, patience } = managing;
  const what = `The dataset ${name}`;
  const datasetArn = names.datasetArn(dataset);
  const look = () => describeDataset(personalize, datasetArn);
  if (!(await untilSettled(what, patience, look))) return;
  if (!(await isDeleted(personalize.send(new DeleteDatasetCommand({ datasetArn }))))) {
    const busy = await busyWith(personalize, { datasetGroupArn: names.datasetGroupArn(), datasetArn });
    const by = busy.length > 0 ? busy.join(", ") : "Personalize itself";
    throw new ManagerError(
      `${what} is in use by ${by}. Stop what was started by hand, or wait until it has ended; then run this again`,
    );
  }
  await untilGone(what, patience, look);
}

async function changeSchema(managing: Managing, arn: string, what: string, wanted: string): Promise<void> {
  const { personalize, patience } = managing;
  const update = async (): Promise<(Life & { schemaArn?: string | undefined }) | undefined> => {
    const found = await describeDataset(personalize, arn);
    if (found?.schemaArn === wanted) return { status: "ACTIVE", schemaArn: wanted };
    return found?.latestDatasetUpdate;
  };
  const running = await untilSettled(`The schema of ${what.toLowerCase()}`, patience, update);
  if (running?.schemaArn !== wanted || hasFailed(running.status)) {
    try {
      await personalize.send(new UpdateDatasetCommand({ datasetArn: arn, schemaArn: wanted }));
    } catch (error) {
      if (!isNamed(error, "InvalidInputException")) throw error;
      throw new ManagerError(
        `${what} cannot take the schema ${wanted}: ${(error as Error).message} ` +
          "Personalize only takes new fields that may be null, and keeps the others as they are: " +
          "change the schema file, or `relevance uninstall` and deploy again",
        { cause: error },
      );
    }
    const done = await untilSettled(`The schema of ${what.toLowerCase()}`, patience, update);
    if (done && hasFailed(done.status)) throw failed(`The schema change of ${what.toLowerCase()}`, done);
  }
}

/** Returns the dataset; undefined if there is none. */
export async function describeDataset(personalize: Personalize, datasetArn: string): Promise<Dataset | undefined> {
  return (await ifThere(personalize.send(new DescribeDatasetCommand({ datasetArn }))))?.dataset;
}
