import * as assert from "uvu/assert";
import { deadlineIn } from "../../lib/core/resilience/deadline.ts";
import { dayOf, readAcceptedEvents } from "../../lib/recommendation/clients/accepted-events.ts";
import { eventLine, type StoredEvent } from "../../lib/recommendation/records/layout.ts";
import type { StandInRequest } from "../../local/cloud/stand-in.ts";
import { awsError, passOn } from "../functions/recommendation-api/aws-front.ts";
import { storedEvents } from "../functions/recommendation-api/stored.ts";
import { type Answer, startWorld } from "../functions/recommendation-api/world.ts";
import { world as etlWorld, rowsOf } from "../lib/recommendation/etl/run.ts";
import { suite } from "../suite.ts";

const test = suite("events while their storage or Personalize fails");

const EVENTS = 100_000;
const BATCH = 250;
const CLIENTS = 8;

const world = await startWorld();

interface UploadedEvent {
  EVENT_ID: string;
  USER_ID: string;
  ITEM_ID: string;
  EVENT_TYPE: string;
  EVENT_VALUE?: number;
  TIMESTAMP: number;
  IMPRESSION?: string[];
}

const eventsOf = (count: number, prefix: string) =>
  Array.from(
    { length: count },
    (_, index): UploadedEvent => ({
      EVENT_ID: `${prefix}${index}`,
      USER_ID: `u${Math.floor(index / 40)}`,
      ITEM_ID: `i${index % 977}`,
      EVENT_TYPE: index % 3 === 0 ? "purchase" : "click",
      ...(index % 3 === 0 && { EVENT_VALUE: (index % 50) / 10 }),
      TIMESTAMP: 1_740_000_000 + index,
      ...(index % 5 === 0 && { IMPRESSION: ["i1", "i2"] }),
    }),
  );

/** Returns the row of the import that an event must become. */
const rowOf = (event: UploadedEvent) =>
  [
    event.USER_ID,
    event.ITEM_ID,
    event.EVENT_TYPE,
    event.EVENT_VALUE ?? "",
    event.TIMESTAMP,
    event.IMPRESSION?.join("|") ?? "",
  ].join(",");

/** Returns the rows that the next training would import from these lines, without the quotes around texts. */
async function importedRows(lines: readonly StoredEvent[]): Promise<string[]> {
  const etl = etlWorld();
  etl.events("2025-03-01", "a", lines.map(eventLine).join(""));
  await etl.run("run", { mode: "update_dataset_group" });
  return rowsOf(etl.store, "run", "interactions").map((row) => row.replaceAll('"', ""));
}

/** Makes the project one with a campaign, whose events go to Personalize as they arrive. */
async function activate(): Promise<void> {
  await world.putParameter(
    world.names.campaignParameter("user_personalization"),
    world.names.arn("personalize", "campaign/x"),
  );
  await world.putParameter(world.names.eventTrackerParameter(), "tracker");
}

/** Of ten calls, drops one, loses the answer of one and rejects the records of one. Refuses all for a while. */
async function storeFault(call: number, request: StandInRequest) {
  if (call > 60 && call <= 100) return awsError(400, "ServiceUnavailableException");
  switch (call % 10) {
    case 2:
      return awsError(500, "ServiceUnavailableException");
    case 5:
      await passOn(world.cloud.endpoint, request);
      return awsError(500, "InternalFailure");
    case 8: {
      const { Records } = JSON.parse(request.body.toString());
      const RequestResponses = Records.map(() => ({ ErrorCode: "ServiceUnavailableException" }));
      const body = JSON.stringify({ FailedPutCount: Records.length, RequestResponses });
      return { status: 200, headers: { "content-type": "application/x-amz-json-1.1" }, body };
    }
    default:
      return undefined;
  }
}

/**
 * Uploads once, with several clients at a time. Checks how rejections are reported, and returns the rejected events.
 * `onAnswer` gets each answer and the number of its events.
 */
async function upload(
  uploaded: readonly UploadedEvent[],
  onAnswer: (answer: Answer, events: number) => void = () => undefined,
): Promise<UploadedEvent[]> {
  const again: UploadedEvent[] = [];
  const batches = Array.from({ length: Math.ceil(uploaded.length / BATCH) }, (_, index) =>
    uploaded.slice(index * BATCH, (index + 1) * BATCH),
  );
  const client = async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const answer = await world.post("/log-event", { events: batch });
      const { status, body, text } = answer;
      onAnswer(answer, batch.length);
      const { accepted, rejected } = body.response ?? {};
      assert.is(accepted + rejected?.length, batch.length, text.slice(0, 300));
      assert.ok(accepted > 0 ? status === 200 : status === 500 || status === 503, text.slice(0, 300));
      for (const { index, id, retryable } of rejected) {
        const event = batch[index];
        assert.equal([event?.EVENT_ID, retryable], [id, true]);
        if (event) again.push(event);
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return again;
}

test.after(() => world.stop());

test("of 100,000 events, trains every accepted one exactly once, and reports every other one", async () => {
  await activate();
  const events = eventsOf(EVENTS, "e");
  const calls = { firehose: 0, dynamodb: 0, personalize: 0 };
  const tracked: string[] = [];
  world.front.faults.set("firehose", (request) => {
    calls.firehose += 1;
    return storeFault(calls.firehose, request);
  });
  world.front.faults.set("dynamodb", () => {
    calls.dynamodb += 1;
    return calls.dynamodb % 10 === 3 ? awsError(400, "ThrottlingException") : undefined;
  });
  world.front.faults.set("personalize", ({ body }) => {
    calls.personalize += 1;
    if (calls.personalize % 10 === 4) return awsError(429, "ThrottlingException");
    const { userId, eventList } = JSON.parse(body.toString());
    for (const { itemId, eventType, eventValue, sentAt, impression } of eventList) {
      tracked.push([userId, itemId, eventType, eventValue ?? "", sentAt, impression?.join("|") ?? ""].join(","));
    }
    return { status: 200, body: "" };
  });

  const rejected = await upload(events);
  assert.ok(rejected.length > 0, "the store was down for long enough to reject some");
  const acceptedFirst = new Set(events.map(({ EVENT_ID }) => EVENT_ID));
  for (const { EVENT_ID } of rejected) acceptedFirst.delete(EVENT_ID);
  const afterFirst = new Set((await storedEvents(world)).map(({ EVENT_ID }) => EVENT_ID));
  assert.equal(
    [...acceptedFirst].filter((id) => !afterFirst.has(id)),
    [],
    "accepted and not stored",
  );

  for (let left = rejected, tries = 0; left.length > 0; tries += 1) {
    assert.ok(tries < 10, "uploads again and again");
    left = await upload(left);
  }
  const lines = await storedEvents(world);
  const limits = { deadline: deadlineIn(60_000), timeoutMs: 60_000 };
  const days = [dayOf(Date.now() - 86_400_000), dayOf(Date.now())];
  const counted = await readAcceptedEvents(world.dynamo, world.names.table("ingestion"), days, limits);
  assert.ok(lines.length >= counted.accepted, "accepted events are missing");
  assert.ok(counted.accepted > EVENTS * 0.99, "few went uncounted");
  assert.ok(lines.length > EVENTS, "lost answers left some twice in the bucket");

  const rows = await importedRows(lines);
  assert.is(rows.length, EVENTS);
  const trained = new Set(rows);
  assert.is(trained.size, EVENTS, "no event is trained twice");
  assert.equal(
    events.map(rowOf).filter((row) => !trained.has(row)),
    [],
    "accepted and not trained",
  );
  assert.equal(
    tracked.filter((row) => !trained.has(row)),
    [],
    "PutEvents got what the import does not equal: it would be trained twice",
  );
  assert.ok(tracked.length >= EVENTS * 0.9);
});

test("with Personalize's events API down throughout, accepts every event, says that it is late, and imports it next time", async () => {
  const COUNT = 5_000;
  await activate();
  world.front.faults.clear();
  let refused = 0;
  world.front.faults.set("personalize", () => {
    refused += 1;
    return awsError(503, "ServiceUnavailable");
  });
  const events = eventsOf(COUNT, "down");
  const rejected = await upload(events, ({ status, body, headers, text }, count) => {
    assert.is(status, 200, text.slice(0, 300));
    assert.is(headers.get("x-degraded"), "realtime");
    const { stage, target, reason = "", effect } = body.degraded?.[0] ?? {};
    assert.equal([stage, target], ["realtime", "events"]);
    assert.match(reason, `${count} of ${count} events: `);
    assert.is(effect, "stored; recommendations take it into account after the next training");
  });
  assert.equal(rejected, []);
  assert.ok(refused >= COUNT / 10, "Personalize was told of each event");

  const lines = (await storedEvents(world)).filter(({ EVENT_ID }) => EVENT_ID.startsWith("down"));
  const rows = await importedRows(lines);
  assert.equal(rows.toSorted(), events.map(rowOf).toSorted());
});

test.run();
