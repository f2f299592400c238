import type { AttributeValue, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { retryUnprocessed } from "../../lib/platform/aws/call.ts";
import { ignoreNotFound, isNamed } from "../../lib/platform/aws/errors.ts";
import { Failure } from "../../lib/platform/failure.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import { deadlineIn } from "../../lib/platform/resilience/deadline.ts";
import { TABLE_KEYS } from "../../lib/recommendation/records/tables.ts";

/** The tables that hold what callers uploaded. Trainings write the others. */
export const RESTORABLE = ["users", "items"] as const;

/** Inputs of `restore`. */
export interface Restoring {
  dynamo: DynamoDBClient;
  names: Pick<Names, "table">;
  table: (typeof RESTORABLE)[number];
  at: Date;
  pollMs: number;
  note: (line: string) => void;
  wait: (ms: number) => Promise<unknown>;
}

/** Result of restoring the records of a table. */
export interface Restored {
  /** Written as they were: they are changed or missing now. */
  written: number;
  /** Deleted: they were not there. */
  deleted: number;
  unchanged: number;
}

type Item = Record<string, AttributeValue>;

/** The most keys of a BatchGetItem and writes of a BatchWriteItem. Source: API reference. */
const MAX_READS = 100;
const MAX_WRITES = 25;
/** Milliseconds for one batch, in which throttled records are sent again, and for one call. */
const BATCH_MS = 60_000;
const CALL_MS = 10_000;

/** Returns the times between which a table can be restored. Throws Failure if it is missing or has no recovery. */
export async function restorableTimes({
  dynamo,
  names,
  table,
}: Pick<Restoring, "dynamo" | "names" | "table">): Promise<[earliest: Date, latest: Date]> {
  const { DescribeContinuousBackupsCommand } = await import("@aws-sdk/client-dynamodb");
  const TableName = names.table(table);
  const found = await dynamo.send(new DescribeContinuousBackupsCommand({ TableName })).catch((error: unknown) => {
    if (!isNamed(error, "TableNotFoundException")) throw error;
    throw new Failure(
      `There is no table ${TableName}. If it was deleted, AWS keeps a backup for 35 days: docs/guides/teardown.md says how to use it`,
    );
  });
  const recovery = found.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } = recovery ?? {};
  if (!earliest || !latest) throw new Failure(`${TableName} has no point-in-time recovery: run \`relevance deploy\``);
  return [earliest, latest];
}

/**
 * Makes a table what it was at a time, record by record, while it stays in use. DynamoDB restores into a new table only, so
 * that a replaced one would be another for Terraform, alarms and functions. Repeating it resumes.
 */
export async function restoreTable(restoring: Restoring): Promise<Restored> {
  const { DeleteTableCommand } = await import("@aws-sdk/client-dynamodb");
  const copy = await copyAt(restoring);
  const { note, names, table } = restoring;
  note(`Comparing ${names.table(table)} with ${copy}`);
  const done: Restored = { written: 0, deleted: 0, unchanged: 0 };
  for await (const then of pages(restoring, copy)) {
    const now = await readAll(restoring, names.table(table), then);
    const changed = then.filter((item) => textOf(now.get(keyText(restoring, item))) !== textOf(item));
    await write(
      restoring,
      changed.map((Item) => ({ PutRequest: { Item } })),
    );
    done.written += changed.length;
    done.unchanged += then.length - changed.length;
  }
  for await (const now of pages(restoring, names.table(table), true)) {
    const then = await readAll(restoring, copy, now);
    const added = now.filter((item) => !then.has(keyText(restoring, item)));
    await write(
      restoring,
      added.map((item) => ({ DeleteRequest: { Key: keyOf(restoring, item) } })),
    );
    done.deleted += added.length;
  }
  await restoring.dynamo.send(new DeleteTableCommand({ TableName: copy }));
  return done;
}

/** Restores the table into a copy, unless an interrupted run did, and returns its name when it can be read. */
async function copyAt({ dynamo, names, table, at, note, pollMs, wait }: Restoring): Promise<string> {
  const { DescribeTableCommand, RestoreTableToPointInTimeCommand } = await import("@aws-sdk/client-dynamodb");
  const SourceTableName = names.table(table);
  const copy = `${SourceTableName}-at-${at.toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
  const statusOf = async () =>
    (await ignoreNotFound(dynamo.send(new DescribeTableCommand({ TableName: copy }))))?.Table?.TableStatus;
  let status = await statusOf();
  if (status === undefined) {
    note(`Restoring ${SourceTableName} into ${copy}, which takes AWS 20 minutes or more`);
    const request = { SourceTableName, TargetTableName: copy, RestoreDateTime: at };
    await dynamo.send(new RestoreTableToPointInTimeCommand(request));
    status = await statusOf();
  }
  while (status !== "ACTIVE") {
    if (status === undefined) throw new Failure(`${copy} is gone: run the command again`);
    await wait(pollMs);
    status = await statusOf();
  }
  return copy;
}

/** Reads a table in pages that fit a BatchGetItem: whole records, or their keys alone. */
async function* pages({ dynamo, table }: Restoring, TableName: string, keysOnly = false): AsyncGenerator<Item[]> {
  const { paginateScan } = await import("@aws-sdk/client-dynamodb");
  const projection = keysOnly && {
    ProjectionExpression: "#key",
    ExpressionAttributeNames: { "#key": TABLE_KEYS[table] },
  };
  const input = { TableName, ConsistentRead: true, Limit: MAX_READS, ...projection };
  for await (const { Items = [] } of paginateScan({ client: dynamo }, input)) if (Items.length > 0) yield Items;
}

/** Returns the current table records that have the same keys as `items`, as a map by key. */
async function readAll(restoring: Restoring, TableName: string, items: readonly Item[]): Promise<Map<string, Item>> {
  const { BatchGetItemCommand } = await import("@aws-sdk/client-dynamodb");
  const found = new Map<string, Item>();
  const wanted = items.map((item) => keyOf(restoring, item));
  const result = await retryUnprocessed(wanted, limits(restoring), async (Keys, abortSignal) => {
    const command = new BatchGetItemCommand({
      RequestItems: { [TableName]: { Keys: [...Keys], ConsistentRead: true } },
    });
    const { Responses, UnprocessedKeys } = await restoring.dynamo.send(command, { abortSignal });
    for (const item of Responses?.[TableName] ?? []) found.set(keyText(restoring, item), item);
    return UnprocessedKeys?.[TableName]?.Keys ?? [];
  });
  refuseLeft(result, TableName);
  return found;
}

type Write = { PutRequest: { Item: Item } } | { DeleteRequest: { Key: Item } };

async function write(restoring: Restoring, writes: readonly Write[]): Promise<void> {
  const { BatchWriteItemCommand } = await import("@aws-sdk/client-dynamodb");
  const TableName = restoring.names.table(restoring.table);
  for (let start = 0; start < writes.length; start += MAX_WRITES) {
    const batch = writes.slice(start, start + MAX_WRITES);
    const result = await retryUnprocessed(batch, limits(restoring), async (left, abortSignal) => {
      const command = new BatchWriteItemCommand({ RequestItems: { [TableName]: [...left] } });
      const { UnprocessedItems } = await restoring.dynamo.send(command, { abortSignal });
      return (UnprocessedItems?.[TableName] ?? []) as Write[];
    });
    refuseLeft(result, TableName);
  }
}

const limits = ({ wait }: Restoring) => ({ deadline: deadlineIn(BATCH_MS), timeoutMs: CALL_MS, wait });

function refuseLeft({ left, error }: { left: readonly unknown[]; error: unknown }, table: string): void {
  if (left.length === 0) return;
  const why = error === undefined ? "it is throttled" : String(error);
  throw new Failure(`${table} did not take ${left.length} records (${why}): run the command again to resume`);
}

function keyOf({ table }: Pick<Restoring, "table">, item: Item): Item {
  const name = TABLE_KEYS[table];
  const value = item[name];
  if (value === undefined) throw new Error(`a record of ${table} has no ${name}`);
  return { [name]: value };
}

const keyText = (restoring: Pick<Restoring, "table">, item: Item) => JSON.stringify(keyOf(restoring, item));

/** Returns a text that equal records share, whatever the order of their attributes. */
const textOf = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, part) =>
    typeof part === "object" && part !== null && !Array.isArray(part) && !(part instanceof Uint8Array)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
