import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { batchesOf, countRows } from "../../../../lib/recommendation/upload/files.ts";
import { checkTarget, type UploadTarget } from "../../../../lib/recommendation/upload/send.ts";
import { uploadFile } from "../../../../lib/recommendation/upload/upload-file.ts";
import { freePort } from "../../../../packages/processes/ports.ts";
import { suite } from "../../../suite.ts";
import { API_KEY, answered, failure, startUploadServer, type UploadServer } from "./upload-server.ts";

const test = suite("uploading a file");

const folder = mkdtempSync(join(tmpdir(), "upload-"));
let server: UploadServer;
let number = 0;
let waits: number[] = [];

test.before.each(async () => {
  server = await startUploadServer();
  waits = [];
});
test.after.each(() => server.close());
test.after(() => rmSync(folder, { recursive: true }));

/** A clock that only waiting advances. */
let time = 0;
const target = (more: Partial<UploadTarget> = {}): UploadTarget => ({
  url: server.url,
  apiKey: API_KEY,
  now: () => time,
  wait: async (ms) => {
    waits.push(ms);
    time += ms;
  },
  ...more,
});

function csv(header: string, rows: readonly string[]): string {
  number += 1;
  const file = join(folder, `file-${number}.csv`);
  writeFileSync(file, `${[header, ...rows].join("\n")}\n`);
  return file;
}
const users = (count: number) =>
  csv(
    "USER_ID,AGE",
    Array.from({ length: count }, (_, index) => `U${index},${index}`),
  );
const EVENTS = "USER_ID,ITEM_ID,EVENT_TYPE,TIMESTAMP";
const events = (count: number) =>
  csv(
    EVENTS,
    Array.from({ length: count }, (_, index) => `U${index % 7},B${index % 3},view,${index % 10}`),
  );

const neither = () => assert.unreachable("the upload should have been cut off");

const upload = (dataset: "user" | "item" | "interaction", file: string, more: Partial<UploadTarget> = {}) =>
  uploadFile({ target: target(more), dataset, file });
const ids = (path: string, column: string) => (server.accepted.get(path) ?? []).map((record) => record[column]);

test("sends at most 500 records a request, with the columns of the file", async () => {
  const result = await upload("user", users(1_201));
  assert.equal(
    server.requests.map(({ records }) => records.length),
    [500, 500, 201],
  );
  assert.equal([result.accepted, result.rejected], [1_201, 0]);
  assert.equal(server.requests[0]?.records[1], { USER_ID: "U1", AGE: "1" });
});

test("leaves columns without a value out", async () => {
  await upload("user", csv("USER_ID,AGE", ["U1,"]));
  assert.equal(server.requests[0]?.records, [{ USER_ID: "U1" }]);
});

test("sends fewer records at once when they are large", async () => {
  const file = csv(
    "ITEM_ID,TITLE",
    Array.from({ length: 4 }, (_, index) => `B${index},${"x".repeat(400)}`),
  );
  const sizes: number[] = [];
  for await (const batch of batchesOf("item", file, { records: 500, bytes: 1_000 })) sizes.push(batch.length);
  assert.equal(sizes, [2, 2]);
});

test("gives every event an id, which is the same in a second upload", async () => {
  const file = events(1_300);
  await upload("interaction", file);
  const first = ids("/log-event", "EVENT_ID").toSorted();
  server.accepted.clear();
  await upload("interaction", file);
  assert.equal(ids("/log-event", "EVENT_ID").toSorted(), first);
  assert.is(new Set(first).size, 1_300);
});

test("keeps an EVENT_ID that the file has", async () => {
  await upload("interaction", csv(`EVENT_ID,${EVENTS}`, ["mine,U1,B1,view,1"]));
  assert.equal(ids("/log-event", "EVENT_ID"), ["mine"]);
});

test("resends only records rejected as retryable, which are accepted once", async () => {
  let left = 2;
  server.reply = ({ path, records }) => {
    if (left-- <= 0) return undefined;
    server.accepted.set(path, [...(server.accepted.get(path) ?? []), ...records.slice(1)]);
    return answered(records.length, [0], true);
  };
  const result = await upload("user", users(3));
  assert.equal(
    server.requests.map(({ records }) => records.length),
    [3, 1, 1],
  );
  assert.equal(ids("/update-users", "USER_ID").toSorted(), ["U0", "U1", "U2"]);
  assert.equal([result.accepted, result.rejected, result.retries], [3, 0, 2]);
});

test("names rejected rows by their line in the file", async () => {
  server.reply = ({ records }) => answered(records.length, records.length === 500 ? [0, 499] : [1]);
  const { accepted, rejected, rejectedRows } = await upload("user", users(502));
  assert.equal([accepted, rejected], [499, 3]);
  assert.equal(
    rejectedRows.map(({ line }) => line),
    [2, 501, 503],
  );
  assert.is(rejectedRows[0]?.issues[0]?.message, "must be a whole number");
});

test("waits as long as a throttled answer tells it to", async () => {
  const replies = [failure(429, "slower", { "retry-after": "7" })];
  server.reply = () => replies.shift();
  const { accepted } = await upload("user", users(1));
  assert.is(accepted, 1);
  assert.is(waits[0], 7_000);
});

for (const status of [500, 502, 503, 504]) {
  test(`retries after ${status}`, async () => {
    const replies = [failure(status, "in trouble"), failure(status, "in trouble")];
    server.reply = () => replies.shift();
    assert.is((await upload("user", users(1))).retries, 2);
  });
}

test("gives up when its patience ends without progress, with the service's reason", async () => {
  server.reply = () => failure(503, "the store is down");
  const start = time;
  const error = await upload("user", users(1), { patienceMs: 30_000 }).catch((thrown) => thrown);
  assert.is(error.name, "UploadError");
  assert.is(error.wrongInput, false);
  // The next delay would have passed the patience, and no delay is longer than two seconds.
  const waited = (time - start) / 1_000;
  assert.ok(waited > 28 && waited <= 30, `${waited}`);
  assert.match(error.message, `has accepted nothing for ${Math.round(waited)} s: `);
  assert.match(error.message, "answered 503: the store is down");
});

test("continues as long as something is accepted, however slowly", async () => {
  const waited = 25_000;
  server.reply = ({ records }) =>
    records.length > 1
      ? answered(
          records.length,
          Array.from({ length: records.length - 1 }, (_, index) => index),
          true,
        )
      : undefined;
  const wait = async () => {
    time += waited;
  };
  const { accepted } = await upload("user", users(6), { patienceMs: 30_000, wait });
  assert.is(accepted, 6);
});

test("gives up at once when it is asked to come back after its patience ends", async () => {
  server.reply = () => failure(429, "The daily quota is used up", { "retry-after": "40000" });
  const error = await upload("user", users(1)).catch((thrown) => thrown);
  assert.match(error.message, "It asks to come back in 40000 s");
  assert.equal(waits, []);
});

test("retries when the connection is lost", async () => {
  const file = users(1);
  const { url } = server;
  server.close();
  const error = await uploadFile({
    target: target({ url, patienceMs: 5_000 }),
    dataset: "user",
    file,
  }).catch((thrown) => thrown);
  assert.match(error.message, "ECONNREFUSED");
  assert.ok(waits.length > 2);
});

test("halves a request that is too large, and names a row that is too large on its own", async () => {
  server.reply = ({ records }) => {
    const tooLarge = records.length > 2 || records.some(({ USER_ID }) => USER_ID === "U4");
    return tooLarge ? failure(413, "too large") : undefined;
  };
  const { accepted, rejectedRows } = await upload("user", users(8));
  assert.is(accepted, 7);
  assert.equal(
    rejectedRows.map(({ line }) => line),
    [6],
  );
});

test("restarted after an interruption, reports only what the service confirms now, under the same ids", async () => {
  const file = events(5_000);
  await upload("interaction", file);
  const undisturbed = ids("/log-event", "EVENT_ID").toSorted();

  server.reply = () => (server.requests.length > 16 ? failure(503, "down") : undefined);
  await upload("interaction", file, { patienceMs: 1 }).then(neither, () => undefined);
  // The service is reset and has lost all that it accepted.
  server.accepted.clear();
  server.reply = () => undefined;
  const { accepted } = await upload("interaction", file);
  const stored = ids("/log-event", "EVENT_ID");
  assert.is(accepted, stored.length);
  assert.equal(stored.toSorted(), undisturbed);
});

test("sends users one request after the other, so that the last row of an id wins", async () => {
  let open = 0;
  let most = 0;
  server.reply = () => {
    open += 1;
    most = Math.max(most, open);
    setImmediate(() => (open -= 1));
    return undefined;
  };
  await upload("user", users(2_500));
  assert.is(most, 1);
  assert.equal(
    server.requests.map(({ records }) => records[0]?.USER_ID),
    ["U0", "U500", "U1000", "U1500", "U2000"],
  );
});

test("the reason to give up has no gap where a problem concerns the whole row", async () => {
  server.reply = ({ records }) => {
    const reply = answered(records.length, [...records.keys()]);
    return JSON.parse(JSON.stringify(reply).replaceAll('"path":"AGE"', '"path":""')) as typeof reply;
  };
  const error = await upload("user", users(1_000)).catch((thrown) => thrown);
  assert.match(error.message, /Line 2: must be a whole number/);
});

test("gives up when none of the first thousand rows fits the schema", async () => {
  server.reply = ({ records }) => answered(records.length, [...records.keys()]);
  const error = await upload("user", users(3_000)).catch((thrown) => thrown);
  assert.match(error.message, /all of the first 1000 rows were rejected. Line 2: AGE must be a whole number/);
  assert.is(error.wrongInput, true);
  assert.is(server.requests.length, 2);
});

test("a wrong key and a wrong address are reported before anything is sent", async () => {
  await checkTarget(target());
  const key = await checkTarget(target({ apiKey: "wrong" })).catch((error) => error);
  assert.match(key.message, /refuses the API key \(403: The API key is missing or wrong/);
  assert.is(key.wrongInput, true);
  const url = `http://127.0.0.1:${await freePort()}`;
  const address = await checkTarget(target({ url })).catch((error) => error);
  assert.match(address.message, /cannot be reached: .*ECONNREFUSED/);
});

test("an address that is not a recommendation API is recognized", async () => {
  server.reply = () => ({ status: 200, body: "<html>hello</html>" });
  const error = await upload("user", users(1)).catch((thrown) => thrown);
  assert.match(error.message, /answered 200, which the recommendation service does not: <html>hello/);
});

async function rejects(work: () => Promise<unknown>, expected: string | RegExp) {
  const error = await work().then(
    () => assert.unreachable("it did not reject"),
    (thrown) => thrown,
  );
  assert.match(error.message, expected);
}

test("reads the whole file first, and finds a broken row, a missing column or no rows", async () => {
  const broken = csv("USER_ID,AGE", ["U1,1", "U2"]);
  await rejects(() => countRows("user", broken), new RegExp(`${broken}:3 .*has 1 values`));
  const other = csv("NAME", ["x"]);
  await rejects(() => countRows("item", other), `${other}  lacks the column "ITEM_ID"; its header has NAME`);
  await rejects(() => countRows("user", csv("USER_ID", [])), "has a header but no rows");
  assert.equal(await countRows("user", users(12)), { rows: 12, suspects: [] });
});

test.run();
