import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BatchGetItemCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { namesOf } from "@relevance/lib/platform/naming/names.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { createTableJournal, writtenIds } from "../../dev/table-journal.ts";

const test = suite("journal of writes to the local stack's tables");

const names = namesOf({ project: "demo", account: "123456789012", region: "eu-west-1" });
const stored = new Map<string, number>();
/** Each promise delays one response after the table was read. */
const slow: Promise<unknown>[] = [];
const dynamo = {
  send: async ({ input }: BatchGetItemCommand) => {
    const table = names.table("users");
    const found = (input.RequestItems?.[table]?.Keys ?? []).flatMap(({ USER_ID }) => {
      const age = stored.get(USER_ID?.S ?? "");
      return age === undefined ? [] : [{ USER_ID, AGE: { N: String(age) } }];
    });
    await slow.shift();
    return { Responses: { [table]: found } };
  },
} as unknown as DynamoDBClient;

let dir = "";
const fileOf = (table: string) => join(dir, `${table}.jsonl`);
const journal = () => createTableJournal(fileOf, { dynamo, names });
const kept = () =>
  journal()
    .read("users")
    .map(({ id, item }) => `${id} ${item?.AGE?.N}`);

test.before.each(() => {
  dir = mkdtempSync(join(tmpdir(), "journal-"));
  stored.clear();
});
test.after.each(() => rmSync(dir, { recursive: true }));

test("records what each write stored or deleted, in order", async () => {
  const { add } = journal();
  stored.set("a", 1).set("7", 2);
  await add("users", ["a", "7", "a"]);
  stored.set("a", 3).delete("7");
  await add("users", ["a", "7"]);
  assert.equal(kept(), ["a 1", "7 2", "a 3", "7 undefined"]);
});

test("ends with the last stored version after concurrent writes of one id", async () => {
  const { add } = journal();
  stored.set("a", 1);
  slow.push(new Promise((resolve) => setImmediate(resolve)));
  const first = add("users", ["a"]);
  await Promise.resolve();
  stored.set("a", 2);
  await Promise.all([first, add("users", ["a"])]);
  assert.is(kept().at(-1), "a 2");
});

test("drops writes when the table is saved, except those made meanwhile", async () => {
  const { add, begin } = journal();
  stored.set("a", 1).set("b", 2);
  await add("users", ["a"]);
  const forget = begin("users");
  await add("users", ["b"]);
  forget();
  assert.equal(kept(), ["b 2"]);
});

test("skips a line that a killed process did not finish", async () => {
  stored.set("a", 1);
  await journal().add("users", ["a"]);
  appendFileSync(fileOf("users"), '{"id":"b');
  assert.equal(kept(), ["a 1"]);
  await journal().add("users", ["a"]);
  assert.equal(kept(), ["a 1", "a 1"]);
});

test("finds the ids in every kind of write, by table", () => {
  const S = (id: string) => ({ S: id });
  const idsOf = (write: object) => [...writtenIds(Buffer.from(JSON.stringify(write)))];
  assert.equal(idsOf({ TableName: "t", Item: { USER_ID: S("u"), AGE: { N: "1" } } }), [["t", ["u"]]]);
  assert.equal(idsOf({ TableName: "t", Key: { ITEM_ID: S("i") } }), [["t", ["i"]]]);
  assert.equal(
    idsOf({
      RequestItems: {
        t: [{ PutRequest: { Item: { USER_ID: S("a") } } }, { DeleteRequest: { Key: { USER_ID: S("b") } } }],
        v: [],
      },
    }),
    [
      ["t", ["a", "b"]],
      ["v", []],
    ],
  );
  assert.equal(idsOf({ TableName: "training", Item: { KEY: S("lock") } }), [["training", []]]);
});

test.run();
