import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { namesOf } from "@relevance/lib/platform/naming/names.ts";
import type { DoneCall } from "@relevance/local-aws/cloud/router.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { keptObjects } from "../../dev/kept-objects.ts";
import { recommendationData } from "../../dev/recommendation-data.ts";
import type { RecommendationParts } from "../../dev/recommendation-functions.ts";

const test = suite("local stack's data after a kill");

type Item = Record<string, { S: string }>;
const names = namesOf({ project: "demo", account: "123456789012", region: "eu-west-1" });

/** Tables and objects in memory, with the calls that saving and restoring make. */
function memory() {
  const tables = new Map<string, Item[]>();
  const objects = new Map<string, string>();
  const others = (table: string, { USER_ID }: Item) =>
    (tables.get(table) ?? []).filter((item) => item.USER_ID?.S !== USER_ID?.S);
  const answers: Record<string, (input: never) => unknown> = {
    ScanCommand: ({ TableName }: { TableName: string }) => ({ Items: tables.get(TableName) ?? [] }),
    PutItemCommand: ({ TableName, Item }: { TableName: string; Item: Item }) => {
      tables.set(TableName, [...others(TableName, Item), Item]);
    },
    DeleteItemCommand: ({ TableName, Key }: { TableName: string; Key: Item }) => {
      tables.set(TableName, others(TableName, Key));
    },
    UpdateItemCommand: ({ ConditionExpression }: { ConditionExpression?: string }) => {
      if (ConditionExpression) throw Object.assign(new Error("held"), { name: "ConditionalCheckFailedException" });
    },
    BatchWriteItemCommand: ({ RequestItems }: { RequestItems: Record<string, { PutRequest: { Item: Item } }[]> }) => {
      for (const [name, puts] of Object.entries(RequestItems)) {
        tables.set(name, [...(tables.get(name) ?? []), ...puts.map(({ PutRequest }) => PutRequest.Item)]);
      }
    },
    GetObjectCommand: ({ Key }: { Key: string }) => ({
      Body: { transformToByteArray: async () => Buffer.from(objects.get(Key) ?? "") },
    }),
    PutObjectCommand: ({ Key, Body }: { Key: string; Body: Buffer }) => objects.set(Key, String(Body)),
    ListObjectsV2Command: () => ({ Contents: [...objects].map(([Key, text]) => ({ Key, Size: text.length })) }),
  };
  const send = async (command: { input: never }) => answers[command.constructor.name]?.(command.input);
  // Paginators accept only instances of the clients.
  const dynamo = Object.assign(Object.create(DynamoDBClient.prototype), { send });
  const s3 = Object.assign(Object.create(S3Client.prototype), { send });
  return { tables, objects, clients: { dynamo, s3 } as RecommendationParts["clients"] };
}

const write = (operation: string, body: object): DoneCall => ({
  service: "dynamodb",
  operation,
  method: "POST",
  path: "/",
  body: Buffer.from(JSON.stringify(body)),
});
const put = (Key: string): DoneCall => ({
  service: "s3",
  operation: undefined,
  method: "PUT",
  path: `/${names.bucket()}/${Key}?x-id=PutObject`,
  body: Buffer.alloc(0),
});

/** Returns the data after a new start on the folder without a final save, as after SIGKILL. */
async function afterKill(folder: string) {
  const next = memory();
  await recommendationData(folder, { clients: next.clients, names }).restore();
  return next;
}

test("has every stored record and no deleted one, without a write that was not finished", async () => {
  const folder = mkdtempSync(join(tmpdir(), "data-"));
  const { tables, clients } = memory();
  const data = recommendationData(folder, { clients, names });
  const users = names.table("users");
  const user = (id: string, age: string): Item => ({ USER_ID: { S: id }, AGE: { S: age } });

  tables.set(users, [user("a", "1"), user("b", "1")]);
  await data.save();
  await data.keep(write("PutItem", { TableName: users, Item: user("a", "2") }));
  await data.keep(write("UpdateItem", { TableName: users, ConditionExpression: "taken by another call" }));
  await data.keep(write("DeleteItem", { TableName: users, Key: { USER_ID: { S: "b" } } }));
  await data.keep(write("Query", { TableName: users }));
  appendFileSync(join(folder, "tables/writes.jsonl"), '{"operation":"PutItem","in');
  assert.equal((await afterKill(folder)).tables.get(users), [user("a", "2")]);
  await data.keep(write("PutItem", { TableName: users, Item: user("c", "3") }));
  assert.equal((await afterKill(folder)).tables.get(users), [user("a", "2"), user("c", "3")]);
  rmSync(folder, { recursive: true });
});

test("forgets the writes before a save, and no later one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "data-"));
  const { tables, clients } = memory();
  const data = recommendationData(folder, { clients, names });
  const users = names.table("users");
  const put = (id: string) => data.keep(write("PutItem", { TableName: users, Item: { USER_ID: { S: id } } }));
  tables.set(users, [{ USER_ID: { S: "a" } }]);
  await put("gone");
  const saving = data.save();
  await put("b");
  await saving;
  assert.equal(
    (await afterKill(folder)).tables.get(users)?.map(({ USER_ID }) => USER_ID?.S),
    ["a", "b"],
  );
  rmSync(folder, { recursive: true });
});

test("has the latest version of event objects, even of the same size", async () => {
  const folder = mkdtempSync(join(tmpdir(), "data-"));
  const { objects, clients } = memory();
  const data = recommendationData(folder, { clients, names });
  objects.set("events/a", "one");
  await data.keep({ ...put("unused"), service: "firehose", operation: "PutRecordBatch" });
  objects.set("events/a", "two");
  await data.keep(put("events/a"));
  assert.equal([...(await afterKill(folder)).objects], [["events/a", "two"]]);
  rmSync(folder, { recursive: true });
});

test("keeps the request log, but no object of another prefix that a command writes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "data-"));
  const { objects, clients } = memory();
  const log = keptObjects(folder, clients.s3, names.bucket(), "logs/");
  objects.set("logs/search/day=2026-01-01/a", "one");
  await log.keep({ ...put("unused"), service: "firehose", operation: "PutRecordBatch" });
  objects.set("forget/x.json", "{}");
  await log.keep(put("forget/x.json"));
  const next = memory();
  await keptObjects(folder, next.clients.s3, names.bucket(), "logs/").restore();
  assert.equal([...next.objects], [["logs/search/day=2026-01-01/a", "one"]]);
  rmSync(folder, { recursive: true });
});

test.run();
