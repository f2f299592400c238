import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { attempt, retryUnprocessed } from "../../platform/aws/call.ts";
import { failureKind } from "../../platform/aws/errors.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import { type Deadline, retry } from "../../platform/resilience/deadline.ts";
import { EXPIRES, INGESTION_KEY } from "../records/tables.ts";

/**
 * Counter records for each day. Each is a DynamoDB partition of its own, which takes 1,000 writes a second, so
 * instances are spread over several. Source: DynamoDB Developer Guide, "Using write sharding".
 */
const SHARDS = 10;

const keyOf = (day: string, shard: number) => ({ [INGESTION_KEY]: `${day}#${shard}` });

/** Ten years: longer than any lookback, since log_lookback_days is at most three and a half years. */
const KEPT_DAYS = 3_653;

/** Returns the day in UTC of a time in milliseconds, for example `2025-03-02`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/**
 * Counts accepted events. Rejects if they could not be counted. The count may be too low, but never too high, because a
 * call without an answer is not retried. So the bucket holds at least as many lines as were counted.
 */
export type EventCounter = (events: number, deadline: Deadline) => Promise<void>;

/** Implements EventCounter with the ingestion table. The client must have its own retries turned off. */
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
      Key: keyOf(dayOf(time), shard),
      UpdateExpression: "ADD #accepted :events SET #last = :last, #expires = :expires",
      ExpressionAttributeNames: { "#accepted": "ACCEPTED", "#last": "LAST", "#expires": EXPIRES },
      ExpressionAttributeValues: {
        ":events": events,
        ":last": time,
        ":expires": Math.floor(time / 1_000) + KEPT_DAYS * 86_400,
      },
    });
    await retry(
      () => attempt({ deadline, timeoutMs }, (abortSignal) => client.send(command, { abortSignal })),
      // Retries only if the call surely changed nothing. Events counted twice would seem to be missing from the bucket.
      { deadline, retryable: (error) => failureKind(error) === "throttled" },
    );
  };
}

/** The events accepted over some days. */
export interface AcceptedEvents {
  /** The bucket must hold at least this many lines. */
  accepted: number;
  /** When the last event was accepted, in epoch milliseconds. Undefined if there are none. */
  last: number | undefined;
}

/** Concurrent calls. A call reads at most 100 records (API: BatchGetItem). */
const READS = 16;
const DAYS = 100 / SHARDS;

/** Adds up the ingestion table over these days. The client must have its own retries turned off. */
export async function readAcceptedEvents(
  client: Pick<DynamoDBClient, "send">,
  table: string,
  days: readonly string[],
  limits: { deadline: Deadline; timeoutMs: number },
): Promise<AcceptedEvents> {
  const { BatchGetCommand } = await import("@aws-sdk/lib-dynamodb");
  const all: Record<string, unknown>[] = [];
  const batches = Array.from({ length: Math.ceil(days.length / DAYS) }, (_, index) =>
    days.slice(index * DAYS, (index + 1) * DAYS),
  );
  await concurrently(batches, READS, async (batch) => {
    const keys = batch.flatMap((day) => Array.from({ length: SHARDS }, (_, shard) => keyOf(day, shard)));
    const { left, error } = await retryUnprocessed(keys, limits, async (Keys, abortSignal) => {
      const command = new BatchGetCommand({ RequestItems: { [table]: { Keys: [...Keys], ConsistentRead: true } } });
      const { Responses = {}, UnprocessedKeys = {} } = await client.send(command, { abortSignal });
      all.push(...(Responses[table] ?? []));
      return (UnprocessedKeys[table]?.Keys ?? []) as typeof keys;
    });
    if (left.length > 0) throw error ?? new Error(`DynamoDB did not read ${left.length} records of ${table}`);
  });
  const last = Math.max(0, ...all.map(({ LAST }) => Number(LAST)));
  return {
    accepted: all.reduce((sum, { ACCEPTED }) => sum + Number(ACCEPTED), 0),
    last: last > 0 ? last : undefined,
  };
}

/** How much later than its buffering interval Firehose may deliver when it has to retry. */
const SLACK_SECONDS = 15;

/**
 * Returns the whole seconds until every accepted event is in the bucket: the stream's buffering interval after the last
 * event, plus some slack.
 */
export function secondsUntilStored({ last }: AcceptedEvents, bufferSeconds: number, now: number): number {
  if (last === undefined) return 0;
  return Math.max(0, Math.ceil((last - now) / 1_000) + bufferSeconds + SLACK_SECONDS);
}

/**
 * Returns the days whose counters can be compared with the lines of `days`: all but the first. Firehose names an object
 * after the arrival time of its oldest event, so a day's first events may be in the folder of the day before.
 */
export function comparableDays(days: readonly string[]): string[] {
  return [...days].sort().slice(1);
}
