import {
  CreateDatasetGroupCommand,
  DeleteDatasetGroupCommand,
  DescribeDatasetGroupCommand,
  ListTagsForResourceCommand,
} from "@aws-sdk/client-personalize";
import { ifThere, isNamed } from "../../aws/errors.ts";
import { PROJECT_TAG } from "../../core/naming/tags.ts";
import { heldByGroup } from "./held.ts";
import { ManagerError } from "./manager-error.ts";
import type { Managing } from "./managing.ts";
import { ifNew } from "./personalize.ts";
import type { DatasetGroupInput, ResourceState } from "./request.ts";
import { tagList } from "./tags.ts";
import { hasFailed, untilActive, untilAtRest, untilGone } from "./waiting.ts";

/** ARN of a dataset group: Personalize makes it of the name. */
export function datasetGroupArn({ names }: Pick<Managing, "names">, name = names.datasetGroup()): string {
  return names.arn("personalize", `dataset-group/${name}`);
}

/**
 * Creates the dataset group unless it is there, and waits until it is ACTIVE. One that had failed is made anew. `isNew` says
 * that Terraform does not know it yet: then ManagerError is thrown when there is one that this project has not made.
 */
export async function createDatasetGroup(
  managing: Managing,
  input: DatasetGroupInput,
  isNew: boolean,
): Promise<ResourceState> {
  const { personalize, patience } = managing;
  const { name, kind } = input;
  const what = `The dataset group ${name}`;
  const arn = datasetGroupArn(managing, name);
  const look = () => describe(managing, name);
  const found = await untilAtRest(what, patience, look);
  if (found && isNew) await requireOurs(managing, input, arn);
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
    const held = await heldByGroup(personalize, datasetGroupArn(managing, name));
    // What else Personalize may mean, it says itself.
    const holds = held.length > 0 ? held.join(", ") : `something: ${(error as Error).message}`;
    throw new ManagerError(
      `${what} still holds ${holds}. What was made by hand is removed by hand, with what uses it; then run this again`,
      { cause: error },
    );
  }
  await untilGone(what, patience, look);
}

/** A run of ours that was interrupted has left its tag: it is given at the creation. */
async function requireOurs({ personalize }: Managing, { name, tags }: DatasetGroupInput, resourceArn: string) {
  const { tags: present = [] } = await personalize.send(new ListTagsForResourceCommand({ resourceArn }));
  const project = present.find(({ tagKey }) => tagKey === PROJECT_TAG)?.tagValue;
  if (project === tags[PROJECT_TAG]) return;
  const whose = project === undefined ? `it has no tag ${PROJECT_TAG}` : `its tag ${PROJECT_TAG} is ${project}`;
  throw new ManagerError(
    `There is a dataset group ${name} that this project has not made: ${whose}, so it may be another team's, or was made ` +
      "by hand. Choose another project_name in project.yaml, or remove that dataset group if nobody needs it",
  );
}

async function describe(managing: Managing, name: string) {
  const command = new DescribeDatasetGroupCommand({ datasetGroupArn: datasetGroupArn(managing, name) });
  return (await ifThere(managing.personalize.send(command)))?.datasetGroup;
}
