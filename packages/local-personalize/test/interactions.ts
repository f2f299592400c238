import { DescribeSolutionVersionCommand } from "@aws-sdk/client-personalize";
import { PutEventsCommand, type PutEventsCommandInput } from "@aws-sdk/client-personalize-events";
import { type Shop, trainVersion } from "./book-shop.ts";
import type { Harness } from "./harness.ts";

const HEADER = "USER_ID,ITEM_ID,EVENT_TYPE,EVENT_VALUE,TIMESTAMP,IMPRESSION";
const row = (number: number, eventType = "click") =>
  `u${number % 50},i${number % 90},${eventType},,${1_700_000_000 + number},`;
/** Returns rows of interactions, each with a different time. */
export const rows = (count: number, from = 0, eventType = "click") =>
  Array.from({ length: count }, (_, number) => row(from + number, eventType));
/** Returns a file of interactions. */
export const csv = (...lines: readonly string[]) => [HEADER, ...lines].join("\n");

/** Returns the number of interactions of an event type, from the error of a training that has too few. */
export async function countOf(harness: Harness, shop: Shop, eventType: string): Promise<number> {
  const name = `count-${harness.standIn.control.counts().CreateSolution ?? 0}`;
  const { solutionVersionArn } = await trainVersion(harness, shop, "aws-popularity-count", { name, eventType });
  const { solutionVersion } = await harness.personalize.send(
    new DescribeSolutionVersionCommand({ solutionVersionArn }),
  );
  return Number(/\(it has (\d+)\)/.exec(solutionVersion?.failureReason ?? "")?.[1]);
}

/** Sends events as a client does. */
export const send = ({ events }: Harness, { trackingId }: Shop, input: Partial<PutEventsCommandInput>) =>
  events.send(new PutEventsCommand({ trackingId, sessionId: "s", userId: "u", eventList: [], ...input }));
