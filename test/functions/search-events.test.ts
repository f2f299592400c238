// Search events: which are accepted, what is stored of them, and what the caller is told.

import { createHmac } from "node:crypto";
import * as assert from "uvu/assert";
import { eventsFamily } from "../../functions/search-events/family.ts";
import { searchEventsPolicy } from "../../functions/search-events/policy.ts";
import { served } from "../../functions/search-events/served.ts";
import { CallTimeout } from "../../lib/platform/aws/errors.ts";
import { failureOf, type StoreFailure } from "../../lib/platform/aws/store-failure.ts";
import { createAccess, type KeyRules } from "../../lib/platform/http/access.ts";
import { createRouter } from "../../lib/platform/http/router.ts";
import type { EventsServices } from "../../lib/search/events/events.ts";
import { call } from "../lib/platform/http/calls.ts";
import { suite } from "../suite.ts";

const test = suite("search events");

const CLICK = {
  action_name: "click",
  timestamp: "2026-11-23T08:00:00.123Z",
  query_id: "q1",
  user_id: "u1",
  event_attributes: { object: { object_id: "b1" }, position: { ordinal: 1 } },
};

interface World {
  logging?: Partial<EventsServices["settings"]["logging"]>;
  hmacKey?: string;
  keys?: KeyRules[];
  /** The failures of lines, by index. */
  failures?: ReadonlyMap<number, StoreFailure>;
}

/** Sends a request to the endpoint. Returns its answer, the stored lines and the function's log. */
async function send(body: unknown, { logging, hmacKey, keys, failures = new Map() }: World = {}, headers = {}) {
  const stored: Record<string, unknown>[] = [];
  const log: Record<string, unknown>[] = [];
  const access = createAccess({ keys }, "id-1=shop");
  const api = { log: (line: string) => log.push(JSON.parse(line)), project: "test", access };
  const services: EventsServices = {
    settings: { project: "test", logging: { user_id: "plain", query_text: true, ...logging } },
    api,
    stream: async (lines) => {
      stored.push(...lines.filter((_, index) => !failures.has(index)).map((line) => JSON.parse(line)));
      return failures;
    },
    userIdKey: async () => hmacKey,
    now: () => new Date("2026-11-23T09:00:00Z"),
  };
  const router = createRouter({ api, routes: Object.values(served), load: async () => eventsFamily(services) });
  const answer = await call(router, {
    path: "/application/events",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    requestContext: { requestId: "r-1", identity: { apiKeyId: "id-1" } },
  });
  return { status: answer.statusCode, body: JSON.parse(answer.body), stored, log };
}

test("an event is stored with its own members, the caller's key, and the fields that the project adds", async () => {
  const click = { ...CLICK, shelf: "front", event_attributes: { ...CLICK.event_attributes, page: 2 } };
  const { status, body, stored } = await send({ events: [click] }, {}, { "x-client-id": "browser-1" });
  assert.is(status, 200);
  assert.equal(body, { accepted: 1, rejected: [] });
  assert.equal(stored, [
    {
      ...click,
      type: "relevance.event",
      application: "test",
      client_id: "browser-1",
      message: null,
      key: "default",
      received_at: "2026-11-23T09:00:00.000Z",
    },
  ]);
});

test("a number that names the object is stored as text, like the ids of hits", async () => {
  const object = { object_id: 7 };
  const { stored } = await send({ events: [{ ...CLICK, event_attributes: { object, position: { ordinal: 1 } } }] });
  assert.equal(stored[0]?.event_attributes, { object: { object_id: "7" }, position: { ordinal: 1 } });
});

test("an event cannot set its own type, key or time of arrival", async () => {
  const { stored } = await send({
    events: [{ ...CLICK, type: "relevance.search", key: "admin", received_at: "1999" }],
  });
  assert.equal(
    [stored[0]?.type, stored[0]?.key, stored[0]?.received_at],
    ["relevance.event", "default", "2026-11-23T09:00:00.000Z"],
  );
});

test("user ids and texts are stored as the request log stores them", async () => {
  const events = [{ ...CLICK, message: "salt road" }];
  const hashed = createHmac("sha256", "secret").update("u1").digest("hex");
  const user = async (world: World) => (await send({ events }, world)).stored[0]?.user_id;
  assert.is(await user({ logging: { user_id: "hmac" }, hmacKey: "secret" }), hashed);
  assert.is(await user({ logging: { user_id: "hmac" } }), null, "the key cannot be read");
  assert.is(await user({ logging: { user_id: "none" } }), null);
  assert.is((await send({ events })).stored[0]?.message, "salt road");
  assert.is((await send({ events }, { logging: { query_text: false } })).stored[0]?.message, null);
});

/** Invalid members of an event, and the path of the issue. */
const WRONG: [path: string, change: object][] = [
  ["action_name", { action_name: "" }],
  ["action_name", { action_name: "x".repeat(101) }],
  ["action_name", { action_name: undefined }],
  ["timestamp", { timestamp: "2026-11-23T08:00:00" }],
  ["timestamp", { timestamp: "yesterday" }],
  ["timestamp", { timestamp: "2026-02-31T08:00:00Z" }],
  ["timestamp", { timestamp: "0001-01-01T08:00:00Z" }],
  ["timestamp", { timestamp: "9999-01-01T08:00:00Z" }],
  ["timestamp", { timestamp: 1_795_420_800 }],
  ["query_id", { query_id: "x".repeat(101) }],
  ["user_id", { user_id: 7 }],
  ["event_attributes", { event_attributes: [] }],
  ["event_attributes.position", { event_attributes: { object: { object_id: "b1" } } }],
  ["event_attributes.position", { event_attributes: { position: {} } }],
  ["event_attributes.object.object_id", { event_attributes: { object: {}, position: { ordinal: 1 } } }],
  ["event_attributes.object.object_id", { event_attributes: { object: { object_id: "" }, position: { ordinal: 1 } } }],
  ["", { shelf: "x".repeat(65_536) }],
];

for (const [path, change] of WRONG) {
  test(`${JSON.stringify(change).slice(0, 70)} is refused at "${path}", and the others are accepted`, async () => {
    const { status, body, stored } = await send({ events: [CLICK, { ...CLICK, ...change }, CLICK] });
    assert.equal([status, body.accepted, stored.length], [200, 2, 2]);
    assert.equal(
      body.rejected.map(
        ({ index, retryable, issues }: { index: number; retryable: boolean; issues: Array<object> }) => ({
          index,
          retryable,
          paths: issues.map((issue) => (issue as { path: string }).path),
        }),
      ),
      [{ index: 1, retryable: false, paths: [path] }],
    );
  });
}

test("a request without a valid event, or without a list of 1 to 500 events, is invalid", async () => {
  const none = await send({ events: [7, [], null] });
  assert.equal([none.status, none.body.error.code, none.body.rejected.length], [400, "invalid_request", 3]);
  for (const events of [[], {}, Array.from({ length: 501 }, () => CLICK)]) {
    assert.is((await send({ events })).status, 400);
  }
});

test("events that the store rejects are named, each with the reason, and the others are accepted", async () => {
  const failures = new Map([[1, { reason: "the event store is throttled", cause: "x", isUnknown: false }]]);
  // The second valid event is the third of the request.
  const { status, body, log } = await send({ events: [CLICK, {}, CLICK] }, { failures });
  assert.is(status, 200);
  assert.equal(body.accepted, 1);
  assert.equal(
    body.rejected.map(({ index, retryable }: { index: number; retryable: boolean }) => [index, retryable]),
    [
      [1, false],
      [2, true],
    ],
  );
  assert.match(body.rejected[1].issues[0].message, "was not stored: the event store is throttled; send it again");
  const counted = log.find((line) => "AcceptedEvents" in line);
  assert.equal([counted?.AcceptedEvents, counted?.RejectedEvents, counted?.UnstoredEvents], [1, 1, 1]);
});

test("a store that accepts nothing is an error that says whether the events may have been stored", async () => {
  const failing = (error: Error) => ({ failures: new Map([[0, failureOf("the event store", error)]]) });
  const throttled = Object.assign(new Error("slow down"), { name: "ThrottlingException" });
  const refused = await send({ events: [CLICK] }, failing(throttled));
  assert.equal([refused.status, refused.body.error.code, refused.body.accepted], [503, "upstream_unavailable", 0]);
  const late = await send({ events: [CLICK] }, failing(new CallTimeout("no answer")));
  assert.equal([late.status, late.body.error.code], [500, "outcome_unknown"]);
  assert.ok(late.log.some((line) => line.Faults === 1));
});

test("a key needs the endpoint search-events; the recommendation service's events is not enough", async () => {
  const as = (endpoints: KeyRules["endpoints"]) => send({ events: [CLICK] }, { keys: [{ name: "shop", endpoints }] });
  assert.is((await as(["search-events"])).stored[0]?.key, "shop");
  assert.is((await as(["search", "events"])).status, 403);
});

test("the function may only write to its stream and log, and read the secrets that deploy makes", () => {
  const arns = { eventsStream: "STREAM", logGroup: "LOG" };
  const actions = (policy: ReturnType<typeof searchEventsPolicy>) => policy.flatMap((statement) => statement.actions);
  const writing = ["firehose:PutRecordBatch", "logs:CreateLogStream", "logs:PutLogEvents"];
  assert.equal(actions(searchEventsPolicy(arns)), writing);
  const ownSecrets = { secrets: ["SECRET"], keys: ["KEY"], aliases: [], anyKey: "KEY/*" };
  assert.equal(actions(searchEventsPolicy({ ...arns, ownSecrets })).toSorted(), [
    "firehose:PutRecordBatch",
    "kms:Decrypt",
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "secretsmanager:GetSecretValue",
  ]);
});

test.run();
