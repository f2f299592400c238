import {
  CreateEventTrackerCommand,
  DeleteEventTrackerCommand,
  DescribeEventTrackerCommand,
  type EventTracker,
} from "@aws-sdk/client-personalize";
import { ifThere } from "../../aws/errors.ts";
import type { Names } from "../../core/naming/names.ts";
import { hasFailed, type Managing, untilActive, untilGone, untilSettled } from "./managing.ts";
import { ifNew, listEventTrackers, ManagerError, type Personalize, tagList } from "./personalize.ts";
import type { EventTrackerInput, ResourceState } from "./request.ts";

/** Creates the event tracker if there is none, waits until it is ACTIVE, and writes its id to the parameter store. */
export async function createEventTracker(managing: Managing, input: EventTrackerInput): Promise<ResourceState> {
  const { personalize, names, patience, pointers } = managing;
  const { kind, name } = input;
  const what = `The event tracker ${name}`;
  const look = () => findEventTracker(personalize, names);
  const found = await untilSettled(what, patience, look);
  if (found && hasFailed(found.status)) await remove(managing, what);
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
  await remove(managing, `The event tracker ${name}`);
}

async function remove({ personalize, names, patience }: Managing, what: string): Promise<void> {
  const look = () => findEventTracker(personalize, names);
  const found = await untilSettled(what, patience, look);
  if (!found) return;
  const { eventTrackerArn } = found;
  await ifThere(personalize.send(new DeleteEventTrackerCommand({ eventTrackerArn })));
  await untilGone(what, patience, look);
}

/** Finds the event tracker of the dataset group, which has at most one. Its ARN cannot be derived from its name. */
export async function findEventTracker(personalize: Personalize, names: Names): Promise<EventTracker | undefined> {
  const [tracker] = await listEventTrackers(personalize, names.datasetGroupArn());
  if (!tracker) return undefined;
  const { eventTrackerArn } = tracker;
  return (await ifThere(personalize.send(new DescribeEventTrackerCommand({ eventTrackerArn }))))?.eventTracker;
}
