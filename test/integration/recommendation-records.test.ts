import { gzipSync } from "node:zlib";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { runHere } from "../cli/run-here.ts";
import { awsError, operationOf } from "../functions/recommendation-api/aws-front.ts";
import { storedRecord } from "../functions/recommendation-api/stored.ts";
import { API_KEY, startWorld, type World } from "../functions/recommendation-api/world.ts";
import { suite } from "../suite.ts";

const test = suite("records of items and users");

const world: World = await startWorld({ timeouts: { realtime_ms: 2_000 } });
const { names, front, post } = world;

test.before.each(() => {
  front.faults.clear();
  front.calls.clear();
});
test.after(() => world.stop());

test("stores items with their types, with categories as a list or joined, and active unless stated otherwise", async () => {
  const answer = await post("/update-items", {
    items: [
      { ITEM_ID: "b1", TITLE: "One", CATEGORIES: ["Drama", "War"], PRICE: "5.50" },
      { ITEM_ID: "b2", TITLE: "Two", CATEGORIES: "War|Comedy", IS_ACTIVE: "false" },
      { ITEM_ID: 3 },
    ],
  });
  assert.is(answer.status, 200, answer.text);
  assert.equal(answer.body, { request: { count: 3 }, response: { accepted: 3, rejected: [] } });
  assert.equal(await storedRecord(world, "items", "b1"), {
    ITEM_ID: "b1",
    TITLE: "One",
    CATEGORIES: "Drama|War",
    PRICE: 5.5,
    IS_ACTIVE: "True",
  });
  assert.is((await storedRecord(world, "items", "b2"))?.IS_ACTIVE, "False");
  assert.equal(await storedRecord(world, "items", "3"), { ITEM_ID: "3", IS_ACTIVE: "True" });
});

test("replaces a record as a whole; the last valid record of an id in a request wins", async () => {
  await post("/update-users", { users: [{ USER_ID: "u1", AGE: 30, MEMBERSHIP: "gold" }] });
  const answer = await post("/update-users", {
    users: [
      { USER_ID: "u1", AGE: 31 },
      { USER_ID: "u1", AGE: 32 },
      { USER_ID: "u1", AGE: "old" },
    ],
  });
  assert.equal([answer.status, answer.body.response.accepted], [200, 2]);
  assert.equal(await storedRecord(world, "users", "u1"), { USER_ID: "u1", AGE: 32, IS_ACTIVE: "True" });
});

test("with merge, a record changes the columns that it has, and the whole must be valid", async () => {
  const merge = (items: object[]) => post("/update-items", { mode: "merge", items });
  await post("/update-items", {
    items: [{ ITEM_ID: "m1", TITLE: "One", CATEGORIES: "War", PRICE: 5, IS_ACTIVE: "False" }],
  });
  const answer = await merge([
    { ITEM_ID: "m1", PRICE: "6.5" },
    { ITEM_ID: "m1", PRICE: "cheap" },
    { ITEM_ID: "m1", CATEGORIES: null },
    { ITEM_ID: "m2", TITLE: "Two" },
    { ITEM_ID: "m2", PRICE: 1 },
    { ITEM_ID: "m1", COLOUR: "red" },
    { TITLE: "nothing" },
  ]);
  const { accepted: count, rejected } = answer.body.response;
  const reasons = rejected.map(({ index, id, issues }) => [index, id, issues[0]?.path]);
  assert.equal(
    [count, reasons],
    [
      4,
      [
        [1, "m1", "PRICE"],
        [5, "m1", "COLOUR"],
        [6, null, "ITEM_ID"],
      ],
    ],
  );
  assert.equal(await storedRecord(world, "items", "m1"), {
    ITEM_ID: "m1",
    TITLE: "One",
    PRICE: 6.5,
    IS_ACTIVE: "False",
  });
  assert.equal(await storedRecord(world, "items", "m2"), { ITEM_ID: "m2", TITLE: "Two", PRICE: 1, IS_ACTIVE: "True" });
  assert.is((await merge([{ ITEM_ID: "m1" }])).body.response.accepted, 1);
  assert.is((await post("/update-users", { mode: "upsert", users: [{ USER_ID: "u1" }] })).status, 400);
});

test("merges at once lose none of each other's columns", async () => {
  await post("/update-items", { items: [{ ITEM_ID: "m3" }] });
  const parts = [{ TITLE: "Three" }, { PRICE: 3 }, { CATEGORIES: "War" }, { IS_ACTIVE: "False" }];
  await Promise.all(parts.map((part) => post("/update-items", { mode: "merge", items: [{ ITEM_ID: "m3", ...part }] })));
  const whole = { ITEM_ID: "m3", TITLE: "Three", PRICE: 3, CATEGORIES: "War", IS_ACTIVE: "False" };
  assert.equal(await storedRecord(world, "items", "m3"), whole);
});

test("a part of a record that is deleted meanwhile makes no record, and can be sent again", async () => {
  await post("/update-items", { items: [{ ITEM_ID: "m4", TITLE: "Four" }] });
  let deleted = false;
  front.faults.set("dynamodb", async (request) => {
    if (deleted || operationOf(request) !== "UpdateItem") return undefined;
    deleted = true;
    await post("/delete-items", { item_ids: ["m4"] });
    return undefined;
  });
  const { status, body } = await post("/update-items", { mode: "merge", items: [{ ITEM_ID: "m4", PRICE: 1 }] });
  assert.equal([status, body.response.rejected[0]?.retryable, deleted], [503, true, true]);
  assert.match(body.response.rejected[0]?.issues[0]?.message ?? "", "deleted meanwhile");
  assert.is(await storedRecord(world, "items", "m4"), undefined);
});

test("a part whose record cannot be read is retryable, not invalid", async () => {
  front.faults.set("dynamodb", (request) =>
    operationOf(request) === "BatchGetItem" ? awsError(400, "ThrottlingException") : undefined,
  );
  const { status, body } = await post("/update-items", { mode: "merge", items: [{ ITEM_ID: "m1", PRICE: 1 }, 1] });
  const rejected = body.response.rejected.map(({ index, retryable }) => [index, retryable]);
  assert.equal(
    [status, rejected],
    [
      503,
      [
        [0, true],
        [1, false],
      ],
    ],
  );
});

test("deletes items, known or not, and answers for each that the table does not delete", async () => {
  await post("/update-items", { items: [{ ITEM_ID: "d1" }, { ITEM_ID: "d2" }] });
  const answer = await post("/delete-items", { item_ids: ["d1", "nothing", "d1"] });
  assert.equal(answer.body, { request: { count: 3 }, response: { accepted: 3, rejected: [] } });
  assert.equal(
    [await storedRecord(world, "items", "d1"), (await storedRecord(world, "items", "d2"))?.ITEM_ID],
    [undefined, "d2"],
  );
  front.faults.set("dynamodb", (request) =>
    operationOf(request) === "BatchWriteItem" ? awsError(400, "ThrottlingException") : undefined,
  );
  const { status, body } = await post("/delete-items", { item_ids: ["d2"] });
  assert.equal([status, body.response.rejected[0]?.retryable], [503, true]);
  assert.match(body.response.rejected[0]?.issues[0]?.message ?? "", "was not deleted: the item store is throttled");
  assert.is((await post("/delete-items", { item_ids: [] })).status, 400);
});

test("upload-sample reads objects of S3, and names them in what it says", async () => {
  const put = (Key: string, Body: Buffer | string) =>
    world.s3.send(new PutObjectCommand({ Bucket: names.bucket(), Key, Body }));
  await put("sample/items.csv.gz", gzipSync("ITEM_ID,TITLE,PRICE\ns1,One,2\ns2,Two,cheap\n"));
  await put("sample/users.csv", "AGE\n3\n");
  // The commands take the address and the keys of AWS from the environment.
  Object.assign(process.env, world.cloud.env);
  const upload = (...options: string[]) =>
    runHere(["upload-sample", ...options, "--api-host", world.url], { RELEVANCE_API_KEY: API_KEY });
  const place = `s3://${names.bucket()}/sample`;
  const [items, users, nothing] = await Promise.all([
    upload("--items", `${place}/items.csv.gz`),
    upload("--users", `${place}/users.csv`),
    upload("--users", `${place}/nothing.csv`),
  ]);
  assert.is(items.code, 1, items.err);
  assert.match(items.out, "1 accepted, 1 rejected");
  assert.match(items.err, `${place}/items.csv.gz:3  PRICE must be a number`);
  assert.equal(await storedRecord(world, "items", "s1"), { ITEM_ID: "s1", TITLE: "One", PRICE: 2, IS_ACTIVE: "True" });
  assert.is(users.code, 2);
  assert.match(users.err, `${place}/users.csv  lacks the column "USER_ID"`);
  assert.equal([nothing.code, nothing.err.includes(`there is no object at ${place}/nothing.csv`)], [2, true]);
});

test.run();
