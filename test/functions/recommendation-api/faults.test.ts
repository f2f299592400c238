// Every failure of an upstream has an answer with a code, a log line with its cause, and a metric.

import * as assert from "uvu/assert";
import { CallTimeout } from "../../../lib/platform/aws/errors.ts";
import { failureOf } from "../../../lib/platform/aws/store-failure.ts";
import type { FaultCode } from "../../../lib/platform/http/error.ts";
import { UNSTORED_RECORDS } from "../../../lib/recommendation/ingest/uploads.ts";
import type { RecommendationServices } from "../../../lib/recommendation/service/services.ts";
import { suite } from "../../suite.ts";
import { ask } from "./ask.ts";

const test = suite("faults of the recommendation service");

const error = (name: string, message: string) => Object.assign(new Error(message), { name });
const DENIED = error("AccessDeniedException", "User: arn:aws:sts::123456789012:assumed-role/x is not authorized");
const THROTTLED = error("ThrottlingException", "Rate exceeded");
const LATE = new CallTimeout("no answer within 2000 ms");
const fails = (thrown: Error) => () => Promise.reject(thrown);

const EVENTS = { events: [{ USER_ID: "U1", ITEM_ID: "B1", EVENT_TYPE: "click" }] };
const USERS = { users: [{ USER_ID: "U1" }] };
const RECOMMEND = { user_id: "U1", limit: 500, filter_name: "", filter_value_dict: {} };

/** Makes the event stream reject every line. */
const streamFails = (thrown: Error): Partial<RecommendationServices> => ({
  eventStream: async (lines) => new Map(lines.map((_, index) => [index, failureOf("the event store", thrown)])),
});

/** Makes the tables reject every record. */
const tablesFail = (thrown: Error) =>
  ({
    records: { write: async () => new Map([["U1", failureOf("the user store", thrown)]]) },
  }) as unknown as Partial<RecommendationServices>;

const campaignFails = (thrown: Error) =>
  ({
    pointers: { read: async () => ["arn:campaign"], reread: async () => ["arn:campaign"] },
    campaigns: { recommend: fails(thrown) },
  }) as unknown as Partial<RecommendationServices>;

const IDS = Array.from({ length: 500 }, (_, index) => `B${index}`);
const LONG = "x".repeat(20_000);
const huge = {
  popularItems: async () => IDS,
  records: {
    read: async (_: string, ids: readonly string[]) => ({
      records: new Map(ids.map((id) => [id, { ITEM_ID: id, TITLE: LONG }])),
      unread: new Set(),
      failure: undefined,
    }),
  },
} as unknown as Partial<RecommendationServices>;

type Case = [change: Partial<RecommendationServices>, path: string, body: object, status: number, cause: string];
const RECOMMENDED = ["/recommend-items-to-user", RECOMMEND] as const;
const LOGGED = ["/log-event", EVENTS] as const;

/** Only the search service uses upstream_failed. */
const CASES = {
  internal: [{ records: undefined as never, popularItems: async () => IDS }, ...RECOMMENDED, 500, "TypeError"],
  outcome_unknown: [streamFails(LATE), ...LOGGED, 500, "no answer within"],
  upstream_unavailable: [streamFails(DENIED), ...LOGGED, 503, "is not authorized"],
  response_too_large: [huge, ...RECOMMENDED, 500, "bytes"],
  not_trained: [{}, ...RECOMMENDED, 503, "no user_personal"],
  timeout: [campaignFails(LATE), ...RECOMMENDED, 504, "no answer within"],
  throttled: [campaignFails(THROTTLED), ...RECOMMENDED, 429, "Rate exceeded"],
} satisfies Record<Exclude<FaultCode, "upstream_failed"> | "throttled", Case>;

for (const [code, [change, path, body, status, cause]] of Object.entries<Case>(CASES)) {
  test(`${code} has its status, its cause in the log and its metric`, async () => {
    const answer = await ask(change, path, body);
    assert.equal([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer).slice(0, 500));
    assert.ok(
      answer.log.some((line) => line.request_id === "r-1" && JSON.stringify(line).includes(cause)),
      JSON.stringify(answer.log).slice(0, 1_000),
    );
    assert.equal(
      answer.log.filter(({ Code }) => Code).map(({ Project, Code, Faults }) => [Project, Code, Faults]),
      [["shop", code, 1]],
    );
  });
}

test("an upload that no store accepts names each record and counts them", async () => {
  for (const [change, path, body, reason] of [
    [streamFails(DENIED), "/log-event", EVENTS, "the event store denied access"],
    [tablesFail(DENIED), "/update-users", USERS, "the user store denied access"],
  ] as const) {
    const { status, body: answer, log } = await ask(change, path, body);
    assert.is(status, 503);
    assert.not.match(JSON.stringify(answer), "arn:aws");
    const [rejected] = answer.response.rejected;
    assert.equal([answer.response.accepted, rejected.index, rejected.retryable], [0, 0, true]);
    assert.is(rejected.issues[0].message, `was not stored: ${reason}; send it again`);
    assert.equal(
      log.flatMap((line) => line[UNSTORED_RECORDS] ?? []),
      [1],
    );
  }
});

test("events that could not be kept for the built-in engine are accepted, and degraded says so", async () => {
  const writeRecent = () => Promise.reject(DENIED);
  const { status, body } = await ask({ writeRecent }, "/log-event", {
    events: EVENTS.events.map((event) => ({ ...event, TIMESTAMP: undefined })),
  });
  assert.equal([status, body.response.accepted, body.degraded.length], [200, 1, 1]);
  assert.equal(body.degraded[0].stage, "realtime");
  assert.is(body.degraded[0].reason, "1 of 1 events: the table of the built-in engine denied access");
});

test("an upload of which a store rejected some records is 200, and also logged and counted", async () => {
  const change = {
    eventStream: async () => new Map([[1, failureOf("the event store", DENIED)]]),
  } as unknown as Partial<RecommendationServices>;
  const { status, body, log } = await ask(change, "/log-event", { events: [...EVENTS.events, ...EVENTS.events] });
  assert.equal([status, body.response.accepted, body.response.rejected.length], [200, 1, 1]);
  assert.ok(log.some(({ message }) => message === "1 of 2 records were not stored: the event store denied access"));
  assert.equal(
    log.flatMap((line) => line[UNSTORED_RECORDS] ?? []),
    [1],
  );
});

test("an upload of only invalid records stays the caller's fault, and no fault is counted", async () => {
  const { status, body, log } = await ask({}, "/log-event", { events: [{}] });
  assert.equal([status, body.error.code], [400, "invalid_request"]);
  assert.ok(!log.some(({ Code }) => Code));
});

test.run();
