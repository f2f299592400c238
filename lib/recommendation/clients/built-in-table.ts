import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { chunks, patientCalls, retryUnprocessed } from "../../platform/aws/call.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { BUILT_IN_KEY } from "../records/tables.ts";

/** A record of the built-in engine: the neighbours of an item with their scores, or the items that a user had. */
export interface BuiltInRecord {
  KEY: string;
  /** The run that wrote the record, or {@link BETWEEN_RUNS}. */
  RUN: string;
  /** Neighbours best first, or items of a user latest first. */
  ITEMS: readonly string[];
  SCORES?: readonly number[];
  /** Number of further records with older items of the user, each with a {@link moreKey}. */
  MORE?: number;
  /** Epoch seconds after which DynamoDB deletes the record. */
  EXPIRES?: number;
}

/** RUN of records that the API writes. A training leaves them: it has not read the latest events. */
export const BETWEEN_RUNS = "events";

/**
 * Returns the key of an item's neighbours by common users. The next are those of a rare item's neighbours by text, of a
 * user's items at the training, of the older ones of these, and of the items of the user's events since.
 */
export const itemKey = (id: string) => `item#${id}`;
export const kindKey = (id: string) => `kind#${id}`;
export const userKey = (id: string) => `user#${id}`;
export const moreKey = (id: string, number: number) => `more#${number}#${id}`;
export const recentKey = (id: string) => `recent#${id}`;

/** The most requests in one BatchWriteItem call, and keys in one BatchGetItem call. Source: API reference. */
const MAX_WRITES = 25;
const MAX_KEYS = 100;
const PARALLEL_CALLS = 8;

/** Writes the records of the built-in engine. The client must have its own retries turned off. */
export function dynamoBuiltIn(client: DynamoDBClient, table: string) {
  const call = patientCalls(120_000, 10);
  const send = (requests: readonly Readonly<Record<string, unknown>>[]) =>
    concurrently(chunks(requests, MAX_WRITES), PARALLEL_CALLS, async (part) => {
      const { BatchWriteCommand } = await import("@aws-sdk/lib-dynamodb");
      let left: Readonly<Record<string, unknown>>[] = part;
      while (left.length > 0) {
        const command = new BatchWriteCommand({ RequestItems: { [table]: left } });
        left = (await call((options) => client.send(command, options))).UnprocessedItems?.[table] ?? [];
      }
    });
  return {
    /** Stores records, replacing those with the same keys. */
    async write(records: readonly BuiltInRecord[]): Promise<void> {
      await send(records.map((Item) => ({ PutRequest: { Item } })));
    },

    /** Removes the records of other runs. Returns false if time ran out first. */
    async removeOthers(run: string, hasTime: () => boolean): Promise<boolean> {
      const { ScanCommand } = await import("@aws-sdk/lib-dynamodb");
      let start: Record<string, unknown> | undefined;
      do {
        if (!hasTime()) return false;
        const command = new ScanCommand({
          TableName: table,
          ProjectionExpression: "#key",
          FilterExpression: "RUN <> :run AND RUN <> :events",
          ExpressionAttributeNames: { "#key": BUILT_IN_KEY },
          ExpressionAttributeValues: { ":run": run, ":events": BETWEEN_RUNS },
          ...(start && { ExclusiveStartKey: start }),
        });
        const { Items = [], LastEvaluatedKey } = await call((options) => client.send(command, options));
        await send(Items.map((Key) => ({ DeleteRequest: { Key } })));
        start = LastEvaluatedKey;
      } while (start);
      return true;
    },
  };
}

/** See {@link dynamoBuiltIn}. */
export type BuiltInTable = ReturnType<typeof dynamoBuiltIn>;

/** Reads records of the built-in engine by key. Throws if it cannot read all that exist. */
export type BuiltInReader = (
  keys: readonly string[],
  deadline: Deadline,
) => Promise<ReadonlyMap<string, BuiltInRecord>>;

/** Implements BuiltInReader with the table. The client must have its own retries turned off. */
export function readBuiltIn(connect: () => Promise<DynamoDBClient>, table: string, timeoutMs: number): BuiltInReader {
  return async (keys, deadline) => {
    const found = new Map<string, BuiltInRecord>();
    const results = await concurrently(chunks([...new Set(keys)], MAX_KEYS), PARALLEL_CALLS, (part) =>
      retryUnprocessed(part, { deadline, timeoutMs }, async (left, abortSignal) => {
        const [{ BatchGetCommand }, client] = await Promise.all([import("@aws-sdk/lib-dynamodb"), connect()]);
        const Keys = left.map((key) => ({ [BUILT_IN_KEY]: key }));
        const command = new BatchGetCommand({ RequestItems: { [table]: { Keys } } });
        const { Responses, UnprocessedKeys } = await client.send(command, { abortSignal });
        for (const record of Responses?.[table] ?? []) found.set(String(record[BUILT_IN_KEY]), record as BuiltInRecord);
        return (UnprocessedKeys?.[table]?.Keys ?? []).map((key) => String(key[BUILT_IN_KEY]));
      }),
    );
    const failed = results.find(({ left }) => left.length > 0);
    if (failed) throw failed.error ?? new Error("DynamoDB did not read all keys");
    return found;
  };
}

/** Writes records of users' latest events. Throws if it cannot write all. */
export type RecentWriter = (records: readonly BuiltInRecord[], deadline: Deadline) => Promise<void>;

/** Implements RecentWriter with the table. The client must have its own retries turned off. */
export function writeRecent(connect: () => Promise<DynamoDBClient>, table: string, timeoutMs: number): RecentWriter {
  return async (records, deadline) => {
    const results = await concurrently(chunks(records, MAX_WRITES), PARALLEL_CALLS, (part) =>
      retryUnprocessed(part, { deadline, timeoutMs }, async (left, abortSignal) => {
        const [{ BatchWriteCommand }, client] = await Promise.all([import("@aws-sdk/lib-dynamodb"), connect()]);
        const requests = left.map((Item) => ({ PutRequest: { Item } }));
        const command = new BatchWriteCommand({ RequestItems: { [table]: requests } });
        const { UnprocessedItems } = await client.send(command, { abortSignal });
        return (UnprocessedItems?.[table] ?? []).map(({ PutRequest }) => PutRequest?.Item as BuiltInRecord);
      }),
    );
    const failed = results.find(({ left }) => left.length > 0);
    if (failed) throw failed.error ?? new Error("DynamoDB did not write all records");
  };
}
