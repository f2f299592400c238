import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { chunks, patientCalls, retryUnprocessed } from "../../platform/aws/call.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { BUILT_IN_KEY } from "../records/tables.ts";

/** A record of the built-in engine: the neighbours of an item with their scores, or the items that a user had. */
export interface BuiltInRecord {
  KEY: string;
  /** The run that wrote the record. */
  RUN: string;
  /** Neighbours best first, or items of a user latest first. */
  ITEMS: readonly string[];
  SCORES?: readonly number[];
}

/**
 * Returns the key of an item's neighbours by common users. The next two are those of a rare item's neighbours by text,
 * and of a user's items.
 */
export const itemKey = (id: string) => `item#${id}`;
export const kindKey = (id: string) => `kind#${id}`;
export const userKey = (id: string) => `user#${id}`;

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
          FilterExpression: "RUN <> :run",
          ExpressionAttributeNames: { "#key": BUILT_IN_KEY },
          ExpressionAttributeValues: { ":run": run },
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
