import {
  CreateEventTrackerCommand,
  DeleteEventTrackerCommand,
  DescribeEventTrackerCommand,
  type EventTracker,
  ListEventTrackersCommand,
} from "@aws-sdk/client-personalize";
import { ifThere } from "../../aws/errors.ts";
import { datasetGroupArn } from "./dataset-group.ts";
import { ManagerError } from "./manager-error.ts";
import type { Managing } from "./managing.ts";
import { allPages, ifNew } from "./personalize.ts";
import type { EventTrackerInput, ResourceState } from "./request.ts";
import { tagList } from "./tags.ts";
import { hasFailed, untilActive, untilGone, untilSettled } from "./waiting.ts";

/** Creates the event tracker if there is none, waits until it is ACTIVE, and writes its id to the parameter store. */
export async function createEventTracker(managing: Managing, input: EventTrackerInput): Promise<ResourceState> {
  const { personalize, names, patience, pointers } = managing;
  const { kind, name } = input;
  const what = `The event tracker ${name}`;
  const look = () => find(managing);
  const found = await untilSettled(what, patience, look);
  if (found && hasFailed(found.status)) await remove(managing, what);
  if (!found || hasFailed(found.status)) {
    const command = { name, datasetGroupArn: datasetGroupArn(managing), tags: tagList(input.tags) };
    await ifNew(personalize.send(new CreateEventTrackerCommand(command)));
  }
  const { eventTrackerArn = "", trackingId } = await untilActive(what, patience, look);
  if (!trackingId) throw new ManagerError(`${what} has no tracking id: remove it, and apply again`);
  await pointers.write(names.eventTrackerParameter(), trackingId);
  return { kind, name, arn: eventTrackerArn, status: "ACTIVE" };
}

/** Deletes the parameter with its id, then the event tracker. */
export async function deleteEventTracker(managing: Managing, input: EventTrackerInput): Promise<ResourceState> {
  await managing.pointers.remove(managing.names.eventTrackerParameter());
  await remove(managing, `The event tracker ${input.name}`);
  return { kind: input.kind, name: input.name, arn: null, status: "deleted" };
}

async function remove(managing: Managing, what: string): Promise<void> {
  const look = () => find(managing);
  const found = await untilSettled(what, managing.patience, look);
  if (!found) return;
  const { eventTrackerArn } = found;
  await ifThere(managing.personalize.send(new DeleteEventTrackerCommand({ eventTrackerArn })));
  await untilGone(what, managing.patience, look);
}

/** Finds the event tracker of the dataset group, which has at most one. Its ARN cannot be derived from its name. */
async function find(managing: Managing): Promise<EventTracker | undefined> {
  const { personalize } = managing;
  const group = datasetGroupArn(managing);
  const trackers = await allPages(
    (nextToken) => personalize.send(new ListEventTrackersCommand({ datasetGroupArn: group, nextToken })),
    (page) => page.eventTrackers,
  );
  const eventTrackerArn = trackers[0]?.eventTrackerArn;
  if (eventTrackerArn === undefined) return undefined;
  const found = await ifThere(personalize.send(new DescribeEventTrackerCommand({ eventTrackerArn })));
  return found?.eventTracker;
}
