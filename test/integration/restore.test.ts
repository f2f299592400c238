import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  RestoreTableToPointInTimeCommand,
  ScanCommand,
  UpdateContinuousBackupsCommand,
} from "@aws-sdk/client-dynamodb";
import * as assert from "uvu/assert";
import { restorableTimes, restoreTable } from "../../cli/recommendation/restore.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("restore: point-in-time recovery");
const cloud = await sharedCloud();
const dynamo = new DynamoDBClient(clientOptions(cloud));

async function project({ recoverable = true } = {}) {
  const names = namesOf({ project: unique("r").slice(0, 15), account: cloud.accountId, region: cloud.region });
  const TableName = names.table("items");
  await dynamo.send(
    new CreateTableCommand({
      TableName,
      KeySchema: [{ AttributeName: "ITEM_ID", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "ITEM_ID", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  if (recoverable) {
    await dynamo.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
  }
  const notes: string[] = [];
  const of = { dynamo, names, table: "items" as const };
  const options = { ...of, pollMs: 1, note: (line: string) => notes.push(line), wait: async () => undefined };
  return { TableName, of, options, notes };
}

const item = (id: string, title: string) => ({ ITEM_ID: { S: id }, TITLE: { S: title }, TAGS: { L: [{ S: "a" }] } });

async function write(TableName: string, items: ReturnType<typeof item>[]) {
  for (let start = 0; start < items.length; start += 25) {
    const writes = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await dynamo.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: writes } }));
  }
}

async function titles(TableName: string) {
  const { Items = [] } = await dynamo.send(new ScanCommand({ TableName }));
  return Object.fromEntries(Items.map(({ ITEM_ID, TITLE }) => [ITEM_ID?.S, TITLE?.S]));
}

/** A time after everything so far, and a second in which nothing was written: DynamoDB restores to whole seconds. */
async function later(): Promise<Date> {
  const next = new Date(Math.ceil(Date.now() / 1_000) * 1_000);
  while (Date.now() <= next.getTime()) await dynamo.send(new ScanCommand({ TableName: (await anyTable()).TableName }));
  return next;
}
let found: Awaited<ReturnType<typeof project>> | undefined;
const anyTable = async () => (found ??= await project());

test("undoes what was changed, added and deleted since, in the same table, and removes its copy", async () => {
  const { TableName, of, options, notes } = await project();
  const before = Array.from({ length: 250 }, (_, n) => item(`i${n}`, "right"));
  await write(TableName, before);
  const at = await later();
  await write(TableName, [item("i0", "wrong"), item("i1", "wrong"), item("new", "wrong")]);
  await dynamo.send(new DeleteItemCommand({ TableName, Key: { ITEM_ID: { S: "i2" } } }));
  const [earliest, latest] = await restorableTimes(of);
  assert.ok(earliest <= at && at <= latest);
  assert.equal(await restoreTable({ ...options, at }), { written: 3, deleted: 1, unchanged: 247 });
  assert.equal(await titles(TableName), Object.fromEntries(before.map(({ ITEM_ID }) => [ITEM_ID.S, "right"])));
  assert.equal(notes.length, 2);
  // The copy is gone, so the same time restores again, and finds nothing to do.
  assert.equal(await restoreTable({ ...options, at }), { written: 0, deleted: 0, unchanged: 250 });
  assert.match(notes[2] ?? "", `Restoring ${TableName} into ${TableName}-at-`);
});

test("goes on with the copy of an interrupted run", async () => {
  const { TableName, options, notes } = await project();
  await dynamo.send(new PutItemCommand({ TableName, Item: item("i", "right") }));
  const at = await later();
  await dynamo.send(new PutItemCommand({ TableName, Item: item("i", "wrong") }));
  const copy = `${TableName}-at-${at.toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
  const request = { SourceTableName: TableName, TargetTableName: copy, RestoreDateTime: at };
  await dynamo.send(new RestoreTableToPointInTimeCommand(request));
  assert.equal(await restoreTable({ ...options, at }), { written: 1, deleted: 0, unchanged: 0 });
  assert.equal(notes, [`Comparing ${TableName} with ${copy}`]);
});

test("says that a table is missing, or has no recovery", async () => {
  const { of } = await project({ recoverable: false });
  const refusal = (table: "items" | "users") =>
    restorableTimes({ ...of, table }).then(
      () => "",
      ({ message }: Error) => message,
    );
  assert.match(await refusal("items"), "has no point-in-time recovery");
  assert.match(await refusal("users"), "There is no table");
});

test("the local cloud restores neither without recovery nor to another time", async () => {
  const off = await project({ recoverable: false });
  const { TableName } = await project();
  const refused = async (SourceTableName: string, RestoreDateTime: Date) => {
    const request = { SourceTableName, TargetTableName: `${SourceTableName}-copy`, RestoreDateTime };
    return dynamo.send(new RestoreTableToPointInTimeCommand(request)).catch(({ name }: Error) => name);
  };
  assert.is(await refused(off.TableName, new Date()), "PointInTimeRecoveryUnavailableException");
  assert.is(await refused(TableName, new Date(0)), "InvalidRestoreTimeException");
});

test.run();
