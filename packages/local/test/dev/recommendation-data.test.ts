import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { namesOf } from "@relevance/lib/platform/naming/names.ts";
import type { DoneCall } from "@relevance/local-aws/cloud/router.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { recommendationData } from "../../dev/recommendation-data.ts";
import type { RecommendationParts } from "../../dev/recommendation-functions.ts";

const test = suite("local stack's data after a kill");

type Item = Record<string, { S: string }>;
const names = namesOf({ project: "demo", account: "123456789012", region: "eu-west-1" });

/** Tables and objects in memory, with the calls that saving and restoring make. */
function memory() {
  const tables = new Map<string, Item[]>();
  const scanned: string[] = [];
  const objects = new Map<string, string>();
  const answers: Record<string, (input: never) => unknown> = {
    ScanCommand: ({ TableName }: { TableName: string }) => {
      scanned.push(TableName);
      return { Items: tables.get(TableName) ?? [] };
    },
    BatchGetItemCommand: ({ RequestItems }: { RequestItems: Record<string, { Keys: Item[] }> }) => ({
      Responses: Object.fromEntries(
        Object.entries(RequestItems).map(([name, { Keys }]) => [
          name,
          (tables.get(name) ?? []).filter((item) => Keys.some(({ USER_ID }) => item.USER_ID?.S === USER_ID?.S)),
        ]),
      ),
    }),
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
  return { tables, scanned, objects, clients: { dynamo, s3 } as RecommendationParts["clients"] };
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

test("has every stored record, no deleted one, and small tables unchanged", async () => {
  const folder = mkdtempSync(join(tmpdir(), "data-"));
  const { tables, clients } = memory();
  const data = recommendationData(folder, { clients, names });
  const [users, training] = [names.table("users"), names.table("training")];
  const user = (id: string, age: string): Item => ({ USER_ID: { S: id }, AGE: { S: age } });

  tables.set(users, [user("a", "1"), user("b", "1")]);
  await data.save();
  tables.set(users, [user("a", "2")]);
  await data.keep(write("PutItem", { TableName: users, Item: user("a", "2") }));
  await data.keep(write("DeleteItem", { TableName: users, Key: { USER_ID: { S: "b" } } }));
  tables.set(training, [{ KEY: { S: "recipe#similar_items" }, HELD: { S: "v1" } }]);
  await data.keep(write("UpdateItem", { TableName: training, Key: { KEY: { S: "recipe#similar_items" } } }));

  const found = await afterKill(folder);
  assert.equal(found.tables.get(users), [user("a", "2")]);
  assert.equal(found.tables.get(training), tables.get(training));
  rmSync(folder, { recursive: true });
});

test("reads while it runs only tables that were written, and at the end all", async () => {
  const folder = mkdtempSync(join(tmpdir(), "data-"));
  const { tables, scanned, clients } = memory();
  const data = recommendationData(folder, { clients, names });
  const [users, ingestion] = [names.table("users"), names.table("ingestion")];
  await data.saveWritten();
  const all = scanned.splice(0);
  assert.ok(all.includes(users) && all.length > 4, all.join());
  await data.saveWritten();
  assert.equal(scanned.splice(0), []);
  tables.set(ingestion, [{ KEY: { S: "2026-11-26" } }]);
  await data.keep(write("UpdateItem", { TableName: ingestion, Key: { KEY: { S: "2026-11-26" } } }));
  await data.saveWritten();
  assert.equal(scanned.splice(0), [ingestion]);
  await data.save();
  assert.equal(scanned, all);
  assert.equal((await afterKill(folder)).tables.get(ingestion), tables.get(ingestion));
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

test.run();
