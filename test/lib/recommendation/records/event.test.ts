import * as assert from "uvu/assert";
import { eventParser, isAnonymous } from "../../../../lib/recommendation/records/event.ts";
import { anonymousLine, eventLine } from "../../../../lib/recommendation/records/layout.ts";
import { putEvent, trainedEvent } from "../../../../lib/recommendation/records/trained-event.ts";
import { suite } from "../../../suite.ts";
import { definitions } from "./definitions.ts";

const test = suite("event records");

const known = await definitions();
const parse = eventParser(known, { now: () => 1_717_200_000, id: () => "made-up" });
const event = { USER_ID: "U1", ITEM_ID: "B1", EVENT_TYPE: "view" };
const full = {
  EVENT_ID: "e1",
  ...event,
  EVENT_VALUE: 4.99,
  TIMESTAMP: 1_700_000_000,
  SESSION_ID: "s1",
  IMPRESSION: "B1|B2",
  RECOMMENDATION_ID: "r1",
  DEVICE: "tv",
};

test("gets id, time and session when it has none", () => {
  assert.equal(parse(event), {
    record: { EVENT_ID: "made-up", ...event, TIMESTAMP: 1_717_200_000, SESSION_ID: "U1" },
  });
});

test("takes the session of a visitor who is not known for the user", () => {
  const { USER_ID: _, ...unknown } = full;
  for (const USER_ID of [undefined, null, ""]) {
    assert.equal(parse({ ...unknown, USER_ID }), { record: { ...full, USER_ID: "s1" } });
    assert.ok(isAnonymous({ ...unknown, USER_ID }));
  }
  assert.not(isAnonymous(full));
  assert.ok("issues" in parse({ ...unknown, SESSION_ID: "" }));
  assert.is(
    anonymousLine({ ...full, USER_ID: "s1" }),
    `${JSON.stringify({ ANONYMOUS: true, ...full, USER_ID: "s1" })}\n`,
  );
});

test("keeps what it has", () => {
  assert.equal(parse(full), { record: full });
});

test("accepts numbers as text and impressions as a list", () => {
  const parsed = parse({ ...full, EVENT_VALUE: "4.99", TIMESTAMP: "1700000000", IMPRESSION: ["B1", "B2"] });
  assert.equal(parsed, { record: full });
});

test("treats empty text as no value", () => {
  const parsed = parse({ ...event, EVENT_VALUE: "", IMPRESSION: "", SESSION_ID: "", EVENT_ID: "", TIMESTAMP: "" });
  assert.equal(parsed, parse(event));
});

const many = Array.from({ length: 26 }, (_, index) => `B${index}`);
const WRONG: [change: Record<string, unknown>, path: string, message: string][] = [
  [{ USER_ID: undefined }, "USER_ID", "is missing: without it, an event needs a SESSION_ID"],
  [{ ITEM_ID: null }, "ITEM_ID", "is missing"],
  [{ EVENT_TYPE: "" }, "EVENT_TYPE", "is missing"],
  [{ USER_ID: false }, "USER_ID", "must be text, got false"],
  [{ EVENT_TYPE: true }, "EVENT_TYPE", "must be text, got true"],
  [{ TIMESTAMP: 1.5 }, "TIMESTAMP", "must be whole seconds since 1970, got 1.5"],
  [{ TIMESTAMP: -1 }, "TIMESTAMP", "must be whole seconds since 1970, got -1"],
  // In the year 5138.
  [
    { TIMESTAMP: 99_999_999_999 },
    "TIMESTAMP",
    "must be whole seconds since 1970, got 99999999999, which is later than the year 2096",
  ],
  [
    { TIMESTAMP: "2024-06-01" },
    "TIMESTAMP",
    'must be whole seconds since 1970, got "2024-06-01", which looks like a date; for a file, give schema-generation --timestamp-format yyyy-MM-dd',
  ],
  [
    { TIMESTAMP: 1_717_200_000 + 86_401 },
    "TIMESTAMP",
    "must be whole seconds since 1970, got 1717286401, which is later than tomorrow",
  ],
  [{ ITEM_ID: "a|b" }, "ITEM_ID", 'holds a "|", which separates the items of an IMPRESSION'],
  [{ IMPRESSION: "a,b" }, "IMPRESSION", 'must be a list of ITEM_IDs or a text like "a|b", got "a,b"'],
  [
    { TIMESTAMP: 1_717_200_000_000 },
    "TIMESTAMP",
    "must be whole seconds since 1970, got 1717200000000, which looks like milliseconds; for a file, give schema-generation --timestamp-format x",
  ],
  [{ EVENT_VALUE: "much" }, "EVENT_VALUE", 'must be a number, got "much"'],
  [{ IMPRESSION: many }, "IMPRESSION", "has 26 items, at most 25 are allowed"],
  [{ IMPRESSION: many.join("|") }, "IMPRESSION", "has 26 items, at most 25 are allowed"],
  [{ IMPRESSION: Array(4).fill("B".repeat(250)) }, "IMPRESSION", "has 1003 characters, at most 1000 are allowed"],
  [{ IMPRESSION: ["a|b"] }, "IMPRESSION", 'must be ITEM_IDs of 1 to 256 characters without "|", got "a|b"'],
  [{ IMPRESSION: "a||b" }, "IMPRESSION", 'must be ITEM_IDs of 1 to 256 characters without "|", got ""'],
  [{ IMPRESSION: 5 }, "IMPRESSION", "must be a list of ITEM_IDs, got 5"],
  [{ RECOMMENDATION_ID: "x".repeat(41) }, "RECOMMENDATION_ID", "has 41 characters, at most 40 are allowed"],
  [{ EVENT_ID: "x".repeat(257) }, "EVENT_ID", "has 257 characters, at most 256 are allowed"],
  [{ SESSION_ID: "x".repeat(257) }, "SESSION_ID", "has 257 characters, at most 256 are allowed"],
  [{ DEVICE: {} }, "DEVICE", 'must be text or a list of texts that are not empty and hold no "|", got {}'],
  [{ DEVIC: "tv" }, "DEVIC", 'is not a column of this dataset; did you mean "DEVICE"?'],
];
for (const [change, path, message] of WRONG) {
  test(`refuses ${JSON.stringify(change).slice(0, 60)}`, () => {
    const parsed = parse({ ...event, ...change });
    assert.equal("issues" in parsed && parsed.issues, [{ path, message }]);
  });
}

test("may have an id with a comma as its only impression, as a list or if it is the item's", () => {
  assert.ok("record" in parse({ ...full, IMPRESSION: ["a,b"] }));
  assert.ok("record" in parse({ ...full, ITEM_ID: "a,b", IMPRESSION: "a,b" }));
  assert.ok("record" in eventParser(known)({ ...full, IMPRESSION: "a,b" }));
});

test("has no id that ids.refuse names", () => {
  const refusing = eventParser({ ...known, refuse: ["guest", " "] });
  for (const change of [{ USER_ID: "guest" }, { ITEM_ID: " " }, { SESSION_ID: "guest" }]) {
    const [path = "", id] = Object.entries(change)[0] ?? [];
    const message = `is ${JSON.stringify(id)}, which personalize.ids.refuse of project.yaml refuses`;
    assert.equal(refusing({ ...full, ...change }), { id: "e1", issues: [{ path, message }] });
  }
  assert.ok("record" in refusing({ ...full, EVENT_TYPE: "guest" }));
});

test("from the bucket needs its stored id and time", () => {
  const parsed = eventParser(known)(event);
  assert.equal("issues" in parsed && parsed.issues.map(({ path }) => path), ["EVENT_ID", "TIMESTAMP"]);
});

test("from the bucket may have columns of an older schema", () => {
  assert.equal(eventParser(known, undefined, "ignore")({ ...full, BROWSER: "x" }), { record: full });
});

test("is read back from its own line unchanged", () => {
  const line = eventLine(full);
  assert.ok(line.endsWith("}\n"));
  assert.equal(eventParser(known)(JSON.parse(line)), { record: full });
});

test("becomes the same trained record for import and real time", () => {
  const trained = trainedEvent(known)(full);
  assert.equal(trained, {
    userId: "U1",
    itemId: "B1",
    eventType: "view",
    eventValue: 4.99,
    timestamp: 1_700_000_000,
    impression: "B1|B2",
    values: ["tv"],
    properties: '{"deviceType":"tv"}',
  });
  assert.equal(putEvent(full, trained), {
    eventId: "e1",
    eventType: "view",
    itemId: "B1",
    sentAt: new Date("2023-11-14T22:13:20Z"),
    eventValue: 4.99,
    impression: ["B1", "B2"],
    properties: '{"deviceType":"tv"}',
    recommendationId: "r1",
  });
});

test("omits its missing fields from PutEvents", () => {
  const bare = { EVENT_ID: "e1", ...event, TIMESTAMP: 1_700_000_000, SESSION_ID: "U1" };
  assert.equal(Object.keys(putEvent(bare, trainedEvent(known)(bare))), ["eventId", "eventType", "itemId", "sentAt"]);
});

test.run();
