import * as assert from "uvu/assert";
import { deadlineIn } from "../../lib/platform/resilience/deadline.ts";
import { dayOf, readAcceptedEvents } from "../../lib/recommendation/clients/accepted-events.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { awsError, operationOf } from "../functions/recommendation-api/aws-front.ts";
import { storedEvents, storedRecord } from "../functions/recommendation-api/stored.ts";
import { startWorld, type World } from "../functions/recommendation-api/world.ts";
import { suite } from "../suite.ts";

const test = suite("upload of items, users and events");

const world: World = await startWorld({ timeouts: { realtime_ms: 2_000 } });
const { names, front, post } = world;

const EVENT = { USER_ID: "u1", ITEM_ID: "b1", EVENT_TYPE: "click", TIMESTAMP: 1_740_000_000 };
const accepted = async () => {
  const limits = { deadline: deadlineIn(60_000), timeoutMs: 60_000 };
  return readAcceptedEvents(world.dynamo, names.table("ingestion"), [dayOf(Date.now())], limits);
};
const eventOf = async (id: string) => (await storedEvents(world)).filter(({ EVENT_ID }) => EVENT_ID === id);

test.before.each(() => {
  front.faults.clear();
  front.calls.clear();
});
test.after(() => world.stop());

test("retries records that the table left unprocessed until it has stored all", async () => {
  let leaves = 3;
  front.faults.set("dynamodb", async (request) => {
    if (operationOf(request) !== "BatchWriteItem" || leaves === 0) return undefined;
    leaves -= 1;
    const { RequestItems } = JSON.parse(request.body.toString());
    const [[table = "", puts = []] = []] = Object.entries<unknown[]>(RequestItems);
    const left = puts.slice(1);
    const kept = { ...request, body: Buffer.from(JSON.stringify({ RequestItems: { [table]: puts.slice(0, 1) } })) };
    await fetch(world.cloud.endpoint, {
      method: "POST",
      headers: { ...pick(request.headers, "authorization", "x-amz-target", "content-type") },
      body: new Uint8Array(kept.body),
    });
    const body = JSON.stringify({ UnprocessedItems: { [table]: left } });
    return { status: 200, headers: { "content-type": "application/x-amz-json-1.0" }, body };
  });
  const items = Array.from({ length: 10 }, (_, index) => ({ ITEM_ID: `left${index}`, TITLE: "x" }));
  const answer = await post("/update-items", { items });
  assert.equal(answer.body.response, { accepted: 10, rejected: [] });
  for (const { ITEM_ID } of items) assert.ok(await storedRecord(world, "items", ITEM_ID), ITEM_ID);
  assert.is(front.calls.get("dynamodb BatchWriteItem"), 4);
});

test("rejects as retryable what the table does not accept in the end, with all records of the id", async () => {
  front.faults.set("dynamodb", (request) =>
    request.body.includes('"stuck"') ? awsError(400, "ProvisionedThroughputExceededException") : undefined,
  );
  const users = Array.from({ length: 30 }, (_, index) => ({ USER_ID: `fine${index}` }));
  const answer = await post("/update-users", { users: [{ USER_ID: "stuck" }, ...users, { USER_ID: "stuck", AGE: 3 }] });
  assert.is(answer.status, 200, answer.text);
  const { rejected, accepted } = answer.body.response;
  assert.is(accepted + rejected.length, 32);
  assert.ok(accepted >= 6, "only the call with the stuck record failed");
  for (const index of [0, 31]) {
    assert.equal(
      rejected.find((entry) => entry.index === index),
      {
        index,
        id: "stuck",
        retryable: true,
        issues: [{ path: "", message: "was not stored: the user store is throttled; send it again" }],
      },
    );
  }
  assert.is(await storedRecord(world, "users", "stuck"), undefined);
});

test("adds id, session and time to events before they are stored", async () => {
  const ITEM_ID = unique("item");
  const before = Math.floor(Date.now() / 1_000);
  const given = {
    ...EVENT,
    ITEM_ID,
    EVENT_ID: unique("e"),
    SESSION_ID: "s1",
    EVENT_VALUE: "3",
    IMPRESSION: ["b1", "b2"],
  };
  const answer = await post("/log-event", {
    events: [given, { USER_ID: "u2", ITEM_ID, EVENT_TYPE: "click" }],
  });
  assert.is(answer.status, 200, answer.text);
  const stored = (await storedEvents(world)).filter((event) => event.ITEM_ID === ITEM_ID);
  assert.equal(stored[0], { ...given, EVENT_VALUE: 3, IMPRESSION: "b1|b2" });
  const { EVENT_ID, TIMESTAMP, ...rest } = stored[1] ?? { EVENT_ID: "", TIMESTAMP: 0 };
  assert.equal(rest, { USER_ID: "u2", ITEM_ID, EVENT_TYPE: "click", SESSION_ID: "u2" });
  assert.match(EVENT_ID, /^[0-9a-f-]{36}$/);
  assert.ok(Number.isInteger(TIMESTAMP) && TIMESTAMP >= before && TIMESTAMP <= before + 60);
});

test("accepts 500 events with long impressions", async () => {
  const ITEM_ID = unique("item");
  const impression = Array.from({ length: 25 }, (_, index) => `${"x".repeat(36)}${index}`);
  const events = Array.from({ length: 500 }, () => ({ ...EVENT, ITEM_ID, IMPRESSION: impression }));
  const answer = await post("/log-event", { events });
  assert.equal(answer.body.response, { accepted: 500, rejected: [] }, answer.text.slice(0, 500));
  assert.is((await storedEvents(world)).filter((event) => event.ITEM_ID === ITEM_ID).length, 500);
});

test("sends events again that the stream did not take, and rejects those that it never takes with their id", async () => {
  const EVENT_ID = unique("e");
  let calls = 0;
  front.faults.set("firehose", () => {
    calls += 1;
    if (calls === 1) return awsError(500, "ServiceUnavailableException");
    if (calls > 2) return undefined;
    const RequestResponses = [{ ErrorCode: "ServiceUnavailableException", ErrorMessage: "Slow down." }];
    const body = JSON.stringify({ FailedPutCount: 1, RequestResponses });
    return { status: 200, headers: { "content-type": "application/x-amz-json-1.1" }, body };
  });
  const answer = await post("/log-event", { events: [{ ...EVENT, EVENT_ID }] });
  assert.equal([answer.body.response.accepted, calls], [1, 3]);
  assert.is((await eventOf(EVENT_ID)).length, 1);

  front.faults.set("firehose", () => awsError(500, "ServiceUnavailableException"));
  const lost = await post("/log-event", { events: [{ USER_ID: "u1", ITEM_ID: "b1", EVENT_TYPE: "click" }] });
  assert.is(lost.status, 500);
  const [rejected] = lost.body.response.rejected;
  assert.is(rejected?.retryable, true);
  assert.match(rejected?.id ?? "", /^[0-9a-f-]{36}$/);
});

test("counts accepted events, with the time of the last, but not rejected ones", async () => {
  const before = await accepted();
  const started = Date.now();
  await post("/log-event", { events: [EVENT, EVENT, { ...EVENT, USER_ID: "" }] });
  const after = await accepted();
  assert.is(after.accepted, before.accepted + 2);
  assert.ok((after.last ?? 0) >= started);
});

test("the bucket holds at least as many events as were counted, also when counting fails", async () => {
  front.faults.set("dynamodb", () => awsError(500, "InternalServerError"));
  const EVENT_ID = unique("e");
  const answer = await post("/log-event", { events: [{ ...EVENT, EVENT_ID }] });
  assert.equal([answer.status, answer.body.degraded], [200, undefined]);
  front.faults.clear();
  assert.is((await eventOf(EVENT_ID)).length, 1);
  assert.ok((await storedEvents(world)).length >= (await accepted()).accepted);
});

test("does not count twice when the answer to a count is lost", async () => {
  const before = await accepted();
  front.faults.set("dynamodb", async (request) => {
    await fetch(world.cloud.endpoint, {
      method: "POST",
      headers: pick(request.headers, "authorization", "x-amz-target", "content-type"),
      body: new Uint8Array(request.body),
    });
    return awsError(500, "InternalServerError");
  });
  await post("/log-event", { events: [EVENT] });
  assert.is((await accepted()).accepted, before.accepted + 1);
});

function pick(headers: Readonly<Record<string, string>>, ...kept: string[]): Record<string, string> {
  return Object.fromEntries(kept.map((name) => [name, headers[name] ?? ""]));
}

test.run();
