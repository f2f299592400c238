import {
  CreateDatasetGroupCommand,
  DeleteDatasetGroupCommand,
  DescribeDatasetGroupCommand,
} from "@aws-sdk/client-personalize";
import { ManagerError } from "./manager-error.ts";
import type { Managing } from "./managing.ts";
import { ifNew, ifThere, isNamed } from "./personalize.ts";
import type { DatasetGroupInput, ResourceState } from "./request.ts";
import { tagList } from "./tags.ts";
import { hasFailed, untilActive, untilAtRest, untilGone } from "./waiting.ts";

/** ARN of a dataset group: Personalize makes it of the name. */
export function datasetGroupArn({ names }: Pick<Managing, "names">, name = names.datasetGroup()): string {
  return names.arn("personalize", `dataset-group/${name}`);
}

/** Creates the dataset group unless it is there, and waits until it is ACTIVE. One that had failed is made anew. */
export async function createDatasetGroup(managing: Managing, input: DatasetGroupInput): Promise<ResourceState> {
  const { personalize, patience } = managing;
  const { name, kind } = input;
  const what = `The dataset group ${name}`;
  const arn = datasetGroupArn(managing, name);
  const look = () => describe(managing, name);
  const found = await untilAtRest(what, patience, look);
  if (found && hasFailed(found.status)) await remove(managing, name);
  if (!found || hasFailed(found.status)) {
    await ifNew(personalize.send(new CreateDatasetGroupCommand({ name, tags: tagList(input.tags) })));
  }
  const { status = "" } = await untilActive(what, patience, look);
  return { kind, name, arn, status };
}

/** Removes the dataset group. Throws ManagerError when it still holds something. */
export async function deleteDatasetGroup(managing: Managing, input: DatasetGroupInput): Promise<ResourceState> {
  await remove(managing, input.name);
  return { kind: input.kind, name: input.name, arn: null, status: "deleted" };
}

async function remove(managing: Managing, name: string): Promise<void> {
  const { personalize, patience } = managing;
  const what = `The dataset group ${name}`;
  const look = () => describe(managing, name);
  if (!(await untilAtRest(what, patience, look))) return;
  try {
    await ifThere(
      personalize.send(new DeleteDatasetGroupCommand({ datasetGroupArn: datasetGroupArn(managing, name) })),
    );
  } catch (error) {
    if (!isNamed(error, "ResourceInUseException")) throw error;
    throw new ManagerError(
      `${what} still holds something: ${(error as Error).message} ` +
        "Run `relevance uninstall`, which removes what training made before",
      { cause: error },
    );
  }
  await untilGone(what, patience, look);
}

async function describe(managing: Managing, name: string) {
  const command = new DescribeDatasetGroupCommand({ datasetGroupArn: datasetGroupArn(managing, name) });
  return (await ifThere(managing.personalize.send(command)))?.datasetGroup;
}
