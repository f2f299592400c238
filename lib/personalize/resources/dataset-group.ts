import {
  CreateDatasetGroupCommand,
  CreateEventTrackerCommand,
  type DatasetGroup,
  DeleteDatasetGroupCommand,
  DeleteEventTrackerCommand,
  DescribeDatasetGroupCommand,
  DescribeEventTrackerCommand,
  type EventTracker,
  ListTagsForResourceCommand,
} from "@aws-sdk/client-personalize";
import { ignoreNotFound, isNamed } from "../../platform/aws/errors.ts";
import type { Names } from "../../platform/naming/names.ts";
import { PROJECT_TAG } from "../../platform/naming/tags.ts";
import { hasFailed, type Managing, untilActive, untilGone, untilSettled } from "./managing.ts";
import {
  ifNew,
  listEventTrackers,
  listFilters,
  listSolutions,
  ManagerError,
  type Personalize,
  tagList,
} from "./personalize.ts";
import type { DatasetGroupInput, EventTrackerInput, ResourceState } from "./request.ts";

/**
 * Creates the dataset group if it does not exist, recreates it if it failed, and waits until it is ACTIVE. `isNew`
 * means that Terraform does not know it yet: then throws ManagerError for an existing one that this project did not
 * create.
 */
export async function createDatasetGroup(
  managing: Managing,
  input: DatasetGroupInput,
  isNew: boolean,
): Promise<ResourceState> {
  const { personalize, names, patience } = managing;
  const { name, kind } = input;
  const what = `The dataset group ${name}`;
  const arn = names.datasetGroupArn();
  const look = () => describeDatasetGroup(personalize, names);
  const found = await untilSettled(what, patience, look);
  if (found && isNew) await requireOurs(managing, input, arn);
  if (found && hasFailed(found.status)) await deleteDatasetGroup(managing, input);
  if (!found || hasFailed(found.status)) {
    await ifNew(personalize.send(new CreateDatasetGroupCommand({ name, tags: tagList(input.tags) })));
  }
  const { status = "" } = await untilActive(what, patience, look);
  return { kind, name, arn, status };
}

/** Deletes the dataset group. Throws ManagerError if it is not empty. */
export async function deleteDatasetGroup(
  { personalize, names, patience }: Managing,
  { name }: DatasetGroupInput,
): Promise<void> {
  const what = `The dataset group ${name}`;
  const datasetGroupArn = names.datasetGroupArn();
  const look = () => describeDatasetGroup(personalize, names);
  if (!(await untilSettled(what, patience, look))) return;
  try {
    await ignoreNotFound(personalize.send(new DeleteDatasetGroupCommand({ datasetGroupArn })));
  } catch (error) {
    if (!isNamed(error, "ResourceInUseException")) throw error;
    const held = await heldByGroup(personalize, datasetGroupArn);
    // For anything else, Personalize's message gives the reason.
    const holds = held.length > 0 ? held.join(", ") : `something: ${(error as Error).message}`;
    throw new ManagerError(
      `${what} still holds ${holds}. Remove by hand what was made by hand, and what uses it; then run this again`,
      { cause: error },
    );
  }
  await untilGone(what, patience, look);
}

/** Lists what a dataset group contains besides datasets, as in `the solution x`; others may have created it. */
async function heldByGroup(personalize: Personalize, datasetGroupArn: string): Promise<string[]> {
  const solutions = await listSolutions(personalize, datasetGroupArn);
  const filters = await listFilters(personalize, datasetGroupArn);
  const trackers = await listEventTrackers(personalize, datasetGroupArn);
  return [
    ...solutions.map(({ name }) => `the solution ${name}`),
    ...filters.map(({ name }) => `the filter ${name}`),
    ...trackers.map(({ name }) => `the event tracker ${name}`),
  ];
}

/** Throws ManagerError without the project's tag. An interrupted run leaves the tag too, since creation sets it. */
async function requireOurs({ personalize }: Managing, { name, tags }: DatasetGroupInput, resourceArn: string) {
  const { tags: present = [] } = await personalize.send(new ListTagsForResourceCommand({ resourceArn }));
  const project = present.find(({ tagKey }) => tagKey === PROJECT_TAG)?.tagValue;
  if (project === tags[PROJECT_TAG]) return;
  const whose = project === undefined ? `it has no tag ${PROJECT_TAG}` : `its tag ${PROJECT_TAG} is ${project}`;
  throw new ManagerError(
    `There is a dataset group ${name} that this project did not create: ${whose}, so it may be another team's, or was made ` +
      "by hand. Choose another project_name in project.yaml, or remove that dataset group if nobody needs it",
  );
}

/** Returns the project's dataset group; undefined if there is none. */
export async function describeDatasetGroup(personalize: Personalize, names: Names): Promise<DatasetGroup | undefined> {
  const command = new DescribeDatasetGroupCommand({ datasetGroupArn: names.datasetGroupArn() });
  return (await ignoreNotFound(personalize.send(command)))?.datasetGroup;
}

/** Creates the event tracker if there is none, waits until it is ACTIVE, and writes its id to the parameter store. */
export async function createEventTracker(managing: Managing, input: EventTrackerInput): Promise<ResourceState> {
  const { personalize, names, patience, pointers } = managing;
  const { kind, name } = input;
  const what = `The event tracker ${name}`;
  const look = () => findEventTracker(personalize, names);
  const found = await untilSettled(what, patience, look);
  if (found && hasFailed(found.status)) await removeTracker(managing, what);
  if (!found || hasFailed(found.status)) {
    const command = { name, datasetGroupArn: names.datasetGroupArn(), tags: tagList(input.tags) };
    await ifNew(personalize.send(new CreateEventTrackerCommand(command)));
  }
  const { eventTrackerArn = "", trackingId } = await untilActive(what, patience, look);
  if (!trackingId) throw new ManagerError(`${what} has no tracking id: remove it, and apply again`);
  await pointers.write(names.eventTrackerParameter(), trackingId);
  return { kind, name, arn: eventTrackerArn, status: "ACTIVE" };
}

/** Deletes the parameter with its id, then the event tracker. */
export async function deleteEventTracker(managing: Managing, { name }: EventTrackerInput): Promise<void> {
  await managing.pointers.remove(managing.names.eventTrackerParameter());
  await removeTracker(managing, `The event tracker ${name}`);
}

async function removeTracker({ personalize, names, patience }: Managing, what: string): Promise<void> {
  const look = () => findEventTracker(personalize, names);
  const found = await untilSettled(what, patience, look);
  if (!found) return;
  const { eventTrackerArn } = found;
  await ignoreNotFound(personalize.send(new DeleteEventTrackerCommand({ eventTrackerArn })));
  await untilGone(what, patience, look);
}

/** Finds the event tracker of the dataset group, which has at most one. Its ARN cannot be derived from its name. */
export async function findEventTracker(personalize: Personalize, names: Names): Promise<EventTracker | undefined> {
  const [tracker] = await listEventTrackers(personalize, names.datasetGroupArn());
  if (!tracker) return undefined;
  const { eventTrackerArn } = tracker;
  return (await ignoreNotFound(personalize.send(new DescribeEventTrackerCommand({ eventTrackerArn }))))?.eventTracker;
}
