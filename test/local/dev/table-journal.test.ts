import { appendFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BatchGetItemCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as assert from "uvu/assert";
import { namesOf } from "../../../lib/core/naming/names.ts";
import { createTableJournal } from "../../../local/dev/table-journal.ts";
import { suite } from "../../suite.ts";

const test = suite("uploads of the local stack on disk");

const names = namesOf({ project: "demo", account: "123456789012", region: "eu-west-1" });
const stored = new Map<string, number>();
/** Each delays one answer after the table was read. */
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
const upload = (...ids: unknown[]) => ({
  path: "/update-users",
  body: Buffer.from(JSON.stringify({ users: ids.map((USER_ID) => ({ USER_ID })) })),
});
const kept = () =>
  journal()
    .read("users")
    .map(({ USER_ID, AGE }) => `${USER_ID?.S} ${AGE?.N}`);

test.before.each(() => {
  dir = mkdtempSync(join(tmpdir(), "journal-"));
  stored.clear();
});
test.after.each(() => rmSync(dir, { recursive: true }));

test("have what was stored of an upload, in the order of uploads", async () => {
  const { add } = journal();
  stored.set("a", 1).set("7", 2);
  await add(upload("a", 7, "refused", null));
  stored.set("a", 3);
  await add(upload("a"));
  assert.equal(kept(), ["a 1", "7 2", "a 3"]);
});

test("of one id at the same time end with the last that was stored", async () => {
  const { add } = journal();
  stored.set("a", 1);
  slow.push(new Promise((resolve) => setImmediate(resolve)));
  const first = add(upload("a"));
  await Promise.resolve();
  stored.set("a", 2);
  await Promise.all([first, add(upload("a"))]);
  assert.is(kept().at(-1), "a 2");
});

test("are forgotten when the table is saved, except those that came meanwhile", async () => {
  const { add, begin } = journal();
  stored.set("a", 1).set("b", 2);
  await add(upload("a"));
  const forget = begin("users");
  await add(upload("b"));
  forget();
  assert.equal(kept(), ["b 2"]);
});

test("are read without a line that a killed process has not finished", async () => {
  stored.set("a", 1);
  await journal().add(upload("a"));
  appendFileSync(fileOf("users"), '{"USER_ID":{"S":"b');
  assert.equal(kept(), ["a 1"]);
  await journal().add(upload("a"));
  assert.equal(kept(), ["a 1", "a 1"]);
});

test("of other endpoints are none of a table", async () => {
  await journal().add({ path: "/recommend-items-to-user", body: Buffer.from("{}") });
  assert.not(existsSync(fileOf("users")));
});

test.run();
