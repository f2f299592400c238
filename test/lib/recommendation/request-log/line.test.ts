import { createHmac } from "node:crypto";
import * as assert from "uvu/assert";
import { isRequestLogLine } from "../../../../lib/platform/request-log/kinds.ts";
import { logAnswer } from "../../../../lib/recommendation/request-log/line.ts";
import type { RecommendationServices } from "../../../../lib/recommendation/service/services.ts";
import { placementWorld } from "../../../fixtures/placement-world.ts";
import { suite } from "../../../suite.ts";

const test = suite("request log of recommendations");

const HOME = {
  name: "home",
  recipe: "user_personalization",
  limit: 5,
  fallback: [{ list: "newest" }, { list: "popular" }],
};

test("writes one line for an answer: whom it is for, its items with their engines, and what is missing", async () => {
  const variants = [
    { name: "all", share: 1, settings: {} },
    { name: "none", share: 0.000001, settings: {} },
  ];
  const { ask, place, logged } = placementWorld(4);
  place([{ ...HOME, experiment: { name: "more", variants } }]);
  const { response } = await ask({ placement: "home", user_id: "u1", session_id: "s1" });
  assert.is(logged.length, 1);
  const { milliseconds, ...line } = logged[0] ?? {};
  assert.is(milliseconds, 0);
  assert.equal(line, {
    type: "relevance.recommendation",
    application: "shop",
    request_id: "r-1",
    recommendation_id: "RID-u1",
    user_id: "u1",
    session_id: "s1",
    key: "default",
    endpoint: "recommend-for-placement",
    placement: "home",
    placement_version: 7,
    experiment: "more",
    variant: "all",
    item_ids: response.items.map(({ ITEM_ID }) => ITEM_ID),
    item_engines: Array.from({ length: 5 }, () => "personalize"),
    fallback: null,
    degraded: [],
    timestamp: "2026-11-20T00:00:00.000Z",
  });
});

test("says which list of the chain filled it, and what failed", async () => {
  const { ask, place, logged, down } = placementWorld(4);
  place([HOME]);
  down.add("campaign");
  await ask({ placement: "home", user_id: "u1" });
  const [line = {}] = logged;
  assert.equal(line.fallback, { step: 1, list: "newest", items: 5 });
  assert.equal(
    line.item_engines,
    Array.from({ length: 5 }, () => "list"),
  );
  assert.match(JSON.stringify(line.degraded), /^\[\{"stage":"campaign"/);
  assert.is(line.recommendation_id, null);
});

test("names a session where no user is known, and nobody whose profile is not used", async () => {
  const { ask, place, logged } = placementWorld(4);
  place([HOME]);
  await ask({ placement: "home", session_id: "s1" });
  await ask({ placement: "home", user_id: "u1", personalization: "none" });
  assert.equal(
    logged.map(({ user_id, session_id }) => [user_id, session_id]),
    [
      ["s1", "s1"],
      [null, null],
    ],
  );
});

const ENTRY = {
  endpoint: "recommend-items-to-user",
  placement: null,
  userId: "u".repeat(256),
  isPersonal: true,
  recommendationId: null,
  items: Array.from({ length: 500 }, (_, index) => ({
    id: `\u{1f4d6}${index}`.padEnd(256, "\u{ffff}"),
    engine: "list" as const,
  })),
  fallback: null,
  degraded: [{ stage: "campaign", target: "x", reason: "y".repeat(900), effect: "z" }],
  since: 0,
} as const;

/** Logs one answer with these settings. */
async function line(
  logging: object,
  userIdKey: () => Promise<string | undefined> = async () => "key",
): Promise<string> {
  const lines: string[] = [];
  const services = {
    settings: { project: "shop", logging },
    requestLog: { print: (text: string) => lines.push(text), userIdKey },
    now: () => 31,
  } as unknown as RecommendationServices;
  const call = { caller: { name: "shop" }, requestId: "r", deadline: { remaining: () => 5_000 } };
  await logAnswer(services, call as unknown as Parameters<typeof logAnswer>[1], ENTRY);
  return lines.join("\n");
}

test("names users as logging.user_id says", async () => {
  const userOf = async (...args: Parameters<typeof line>) => JSON.parse(await line(...args)).user_id;
  assert.is(await userOf({ user_id: "plain" }), ENTRY.userId);
  assert.is(await userOf({ user_id: "none" }), null);
  // Not the value that the log of searches has: see docs/guides/request-log.md.
  const expected = createHmac("sha256", "key").update(`recommendation\n${ENTRY.userId}`).digest("hex");
  assert.is(await userOf({ user_id: "hmac" }), expected);
  assert.is(await userOf({ user_id: "hmac" }, async () => undefined), null);
});

test("stays below what CloudWatch Logs splits, whatever ids there are", async () => {
  const text = await line({ user_id: "plain" });
  assert.ok(Buffer.byteLength(text) < 200_000, String(Buffer.byteLength(text)));
  const { item_ids, degraded, milliseconds } = JSON.parse(text);
  assert.equal([item_ids.length, degraded[0].reason.length, milliseconds], [100, 500, 31]);
  assert.ok(
    isRequestLogLine(text) && isRequestLogLine(text, ["recommendation"]) && !isRequestLogLine(text, ["search"]),
  );
});

test.run();
