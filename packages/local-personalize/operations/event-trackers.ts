import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { ARN, NAME, TAGS } from "../members.ts";
import { ServiceError } from "../service-error.ts";
import {
  BY_GROUP,
  beginDeletion,
  describing,
  listing,
  type Operation,
  onResource,
  operation,
  requireActive,
  summaryOf,
} from "./operation.ts";

/** The operations on event trackers. A group has at most one. */
export const EVENT_TRACKERS: Readonly<Record<string, Operation>> = {
  CreateEventTracker: operation(
    v.strictObject({ name: NAME, datasetGroupArn: ARN, tags: TAGS }),
    ({ name, datasetGroupArn, tags }, account) => {
      const group = account.find("dataset-group", datasetGroupArn);
      requireActive(group);
      const other = account.list("event-tracker").find(({ groupArn }) => groupArn === group.arn);
      if (other) {
        throw new ServiceError(
          "ResourceAlreadyExistsException",
          `The dataset group ${group.arn} already has the event tracker ${other.arn}.`,
        );
      }
      const arn = account.arn(`event-tracker/${account.newId()}`);
      const trackingId = randomUUID();
      return {
        ...account.add({ kind: "event-tracker", arn, name, groupArn: group.arn, trackingId }, { tags }),
        trackingId,
      };
    },
  ),
  DescribeEventTracker: describing("event-tracker", (tracker, { accountId }) => {
    const { groupArn: datasetGroupArn, trackingId } = tracker;
    return { ...summaryOf(tracker), accountId, trackingId, datasetGroupArn };
  }),
  ListEventTrackers: listing("event-tracker", summaryOf, BY_GROUP),
  DeleteEventTracker: onResource("event-tracker", beginDeletion),
};
