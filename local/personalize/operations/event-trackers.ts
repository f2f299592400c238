import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { ARN, NAME, PAGE, TAGS } from "../members.ts";
import type { EventTracker } from "../resources.ts";
import { ServiceError } from "../service-error.ts";
import { beginDeletion, dates, type Operation, operation, page, requireActive, state } from "./operation.ts";

const ByArn = v.strictObject({ eventTrackerArn: ARN });
const summary = (tracker: EventTracker) => ({
  name: tracker.name,
  eventTrackerArn: tracker.arn,
  ...state(tracker),
  ...dates(tracker),
});

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
      account.add({ kind: "event-tracker", arn, name, groupArn: group.arn, trackingId }, tags);
      return { eventTrackerArn: arn, trackingId };
    },
  ),
  DescribeEventTracker: operation(ByArn, ({ eventTrackerArn }, account) => {
    const tracker = account.find("event-tracker", eventTrackerArn);
    const { groupArn: datasetGroupArn, trackingId } = tracker;
    return { eventTracker: { ...summary(tracker), accountId: account.accountId, trackingId, datasetGroupArn } };
  }),
  ListEventTrackers: operation(v.strictObject({ datasetGroupArn: v.optional(ARN), ...PAGE }), (input, account) => {
    const own = account
      .list("event-tracker")
      .filter(({ groupArn }) => groupArn === (input.datasetGroupArn ?? groupArn));
    const { shown, next } = page(own, input);
    return { eventTrackers: shown.map(summary), ...next };
  }),
  DeleteEventTracker: operation(ByArn, ({ eventTrackerArn }, account) =>
    beginDeletion(account.find("event-tracker", eventTrackerArn), account),
  ),
};
