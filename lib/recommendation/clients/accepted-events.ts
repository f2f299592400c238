import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { attempt, call } from "../../aws/call.ts";
import { failureKind } from "../../aws/errors.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import { retry } from "../../core/resilience/retry.ts";

/**
 * Keys of the ingestion table: a record counts the events that were accepted on a day, in UTC, by the function
 * instances of one shard. See docs/decisions for what the numbers promise.
 */
export const INGESTION_KEYS = { partition: "DAY", sort: "SHARD" } as const;

/** Attribute that DynamoDB's time to live reads, epoch seconds. */
export const INGESTION_EXPIRES = "EXPIRES";

/** One record takes 1,000 writes a second; instances are spread over so many. */
const SHARDS = 10;

/** Counters outlive every lookback: log_lookback_days has at most three and a half years. */
const KEPT_DAYS = 3_653;

/** The day of a time in milliseconds, in UTC: `2025-03-02`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/**
 * Counts accepted events. Rejects when they could not be counted. It may count too few (a lost answer is not repeated),
 * never too many: the bucket holds at least as many lines as were counted.
 */
export type EventCounter = (events: number, deadline: Deadline) => Promise<void>;

/** The ingestion table as EventCounter. The client is made without retries of its own. */
export function dynamoEventCounter(
  connect: () => Promise<DynamoDBClient>,
  table: string,
  timeoutMs: number,
  options: { now?: () => number; shard?: number } = {},
): EventCounter {
  const { now = Date.now, shard = Math.floor(Math.random() * SHARDS) } = options;
  return async (events, deadline) => {
    const [{ UpdateCommand }, client] = await Promise.all([import("@aws-sdk/lib-dynamodb"), connect()]);
    const time = now();
    const command = new UpdateCommand({
      TableName: table,
      Key: { DAY: dayOf(time), SHARD: String(shard) },
      UpdateExpression: "ADD #accepted :events SET #last = :last, #expires = :expires",
      ExpressionAttributeNames: { "#accepted": "ACCEPTED", "#last": "LAST", "#expires": INGESTION_EXPIRES },
      ExpressionAttributeValues: {
        ":events": events,
        ":last": time,
        ":expires": Math.floor(time / 1_000) + KEPT_DAYS * 86_400,
      },
    });
    await retry(
      () => attempt({ deadline, timeoutMs }, (abortSignal) => client.send(command, { abortSignal })),
      // Only what surely changed nothing: added twice, the bucket would seem to lack events.
      { deadline, retryable: (error) => failureKind(error) === "throttled" },
    );
  };
}

/** What was accepted over some days. */
export interface AcceptedEvents {
  /** At least as many lines are to be in the bucket. */
  accepted: number;
  /** When the last event was accepted, in epoch milliseconds; undefined without any. */
  last: number | undefined;
}

/** Days read at the same time. */
const READS = 16;

/** Adds up the ingestion table over days. The client is made without retries of its own. */
export async function readAcceptedEvents(
  client: DynamoDBClient,
  table: string,
  days: readonly string[],
  limits: { deadline: Deadline; timeoutMs: number },
): Promise<AcceptedEvents> {
  const { QueryCommand } = await import("@aws-sdk/lib-dynamodb");
  const records = await concurrently(days, READS, async (day) => {
    const command = new QueryCommand({
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: "#day = :day",
      ExpressionAttributeNames: { "#day": INGESTION_KEYS.partition },
      ExpressionAttributeValues: { ":day": day },
    });
    const { Items = [] } = await call(limits, (abortSignal) => client.send(command, { abortSignal }));
    return Items;
  });
  const all = records.flat();
  const last = Math.max(0, ...all.map(({ LAST }) => Number(LAST)));
  return {
    accepted: all.reduce((sum, { ACCEPTED }) => sum + Number(ACCEPTED), 0),
    last: last > 0 ? last : undefined,
  };
}

/** Firehose may deliver this much later than its buffer says, when it has to try again. */
const SLACK_SECONDS = 15;

/** Whole seconds until every accepted event is in the bucket: the stream's buffer after the last one, and some slack. */
export function secondsUntilStored({ last }: AcceptedEvents, bufferSeconds: number, now: number): number {
  if (last === undefined) return 0;
  return Math.max(0, Math.ceil((last - now) / 1_000) + bufferSeconds + SLACK_SECONDS);
}

/**
 * Days whose counters are compared with the lines of `days`: all but the first. Firehose files an event by the arrival
 * of the oldest one of its object, so the first of a day may lie in the folder of the day before.
 */
export function comparableDays(days: readonly string[]): string[] {
  return [...days].sort().slice(1);
}
