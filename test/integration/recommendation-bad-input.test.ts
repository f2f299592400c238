import * as assert from "uvu/assert";
import { startWorld } from "../functions/recommendation-api/world.ts";
import { suite } from "../suite.ts";

const test = suite("bad input of the recommendation service");

const world = await startWorld();
const { post, send } = world;

/** What is wrong, the body, and the places that the answer must point at, each with a part of its message. */
type Case = [what: string, body: unknown, issues: Record<string, string>];

const TO_USER = { user_id: "u1", limit: 10, filter_name: "", filter_value_dict: {} };
const TO_ITEM = { item_id: "i1", limit: 10, filter_name: "", filter_value_dict: {} };
const RANK = { user_id: "u1", item_ids: ["a", "b"] };
const ids = (count: number) => Array.from({ length: count }, (_, index) => `i${index}`);
const without = (body: Record<string, unknown>, field: string) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));

const recommendation = (valid: Record<string, unknown>, id: string): Case[] => [
  [`${id} missing`, without(valid, id), { [id]: "is required" }],
  [`${id} a number`, { ...valid, [id]: 5 }, { [id]: "must be a string, got 5" }],
  [`${id} empty`, { ...valid, [id]: "" }, { [id]: "must not be empty" }],
  [`${id} too long`, { ...valid, [id]: "x".repeat(257) }, { [id]: "must have at most 256 characters" }],
  ["limit missing", without(valid, "limit"), { limit: "is required" }],
  ["limit a text", { ...valid, limit: "10" }, { limit: 'must be a number, got "10"' }],
  ["limit 0", { ...valid, limit: 0 }, { limit: "must be a whole number from 1 to 500" }],
  ["limit 501", { ...valid, limit: 501 }, { limit: "must be a whole number from 1 to 500" }],
  ["limit a fraction", { ...valid, limit: 1.5 }, { limit: "must be a whole number from 1 to 500" }],
  ["filter_name missing", without(valid, "filter_name"), { filter_name: "is required" }],
  ["filter_name null", { ...valid, filter_name: null }, { filter_name: "must be a string, got null" }],
  ["filter_value_dict missing", without(valid, "filter_value_dict"), { filter_value_dict: "is required" }],
  ["filter_value_dict a list", { ...valid, filter_value_dict: [] }, { filter_value_dict: "must be an object" }],
  [
    "a filter value that is not text",
    { ...valid, filter_value_dict: { MAX: 5 } },
    { "filter_value_dict.MAX": "must be a string, got 5" },
  ],
  [
    "values without a filter",
    { ...valid, filter_value_dict: { MAX: "5" } },
    { "filter_value_dict.MAX": "has a value, but filter_name is empty" },
  ],
  [
    "a quote in a filter value",
    { ...valid, filter_name: "category", filter_value_dict: { CATEGORY: 'a"b' } },
    { "filter_value_dict.CATEGORY": "a double quote" },
  ],
  ["exclude_item_ids a text", { ...valid, exclude_item_ids: "a" }, { exclude_item_ids: "must be an array" }],
  ["501 excluded items", { ...valid, exclude_item_ids: ids(501) }, { exclude_item_ids: "at most 500 entries" }],
  ["an excluded number", { ...valid, exclude_item_ids: ["a", 1] }, { "exclude_item_ids.1": "must be a string, got 1" }],
  ["context a text", { ...valid, context: "tv" }, { context: "must be an object" }],
  ["a context name with a blank", { ...valid, context: { "a b": "x" } }, { "context.a b": "letters, digits" }],
  ["a context value that is not text", { ...valid, context: { A: 1 } }, { "context.A": "must be a string, got 1" }],
  ["a long context value", { ...valid, context: { A: "x".repeat(1_001) } }, { "context.A": "at most 1,000" }],
  [
    "151 context values",
    { ...valid, context: Object.fromEntries(ids(151).map((id) => [id, "x"])) },
    { context: "must have at most 150 entries" },
  ],
  ["an unknown field", { ...valid, limits: 1 }, { limits: "is not a known field" }],
  [
    "several things at once",
    { limit: 0, filter_name: "", filter_value_dict: {}, extra: 1 },
    { [id]: "is required", limit: "must be a whole number", extra: "is not a known field" },
  ],
  [
    "a list",
    [],
    { [id]: "is required", limit: "is required", filter_name: "is required", filter_value_dict: "is required" },
  ],
];

const RANKING: Case[] = [
  ["user_id missing", without(RANK, "user_id"), { user_id: "is required" }],
  ["item_ids missing", without(RANK, "item_ids"), { item_ids: "is required" }],
  ["item_ids a text", { ...RANK, item_ids: "a" }, { item_ids: "must be an array" }],
  ["no item_ids", { ...RANK, item_ids: [] }, { item_ids: "must have at least 1 entry" }],
  ["501 item_ids", { ...RANK, item_ids: ids(501) }, { item_ids: "must have at most 500 entries" }],
  ["an item twice", { ...RANK, item_ids: ["a", "b", "a"] }, { "item_ids.2": "repeats item_ids.0" }],
  ["an empty item", { ...RANK, item_ids: ["a", ""] }, { "item_ids.1": "must not be empty" }],
  ["an unknown field", { ...RANK, limit: 5 }, { limit: "is not a known field" }],
];

const upload = (field: string): Case[] => [
  [`${field} missing`, {}, { [field]: "is required" }],
  [`${field} an object`, { [field]: {} }, { [field]: "must be an array" }],
  [`no ${field}`, { [field]: [] }, { [field]: "must have at least 1 entry" }],
  [`501 ${field}`, { [field]: ids(501) }, { [field]: "must have at most 500 entries; split the upload" }],
  ["an unknown field", { [field]: [{}], more: 1 }, { more: "is not a known field" }],
];

const CASES: Record<string, Case[]> = {
  "/recommend-items-to-user": recommendation(TO_USER, "user_id"),
  "/recommend-items-to-item": recommendation(TO_ITEM, "item_id"),
  "/rank-items-to-user": RANKING,
  "/update-items": upload("items"),
  "/update-users": upload("users"),
  "/log-event": upload("events"),
};

for (const [path, cases] of Object.entries(CASES)) {
  for (const [what, body, expected] of cases) {
    test(`${path}: ${what}`, async () => {
      const answer = await post(path, body);
      assert.is(answer.status, 400, answer.text);
      assert.is(answer.body.error.code, "invalid_request");
      const issues = Object.fromEntries(answer.body.error.issues.map((issue) => [issue.path, issue.message]));
      assert.equal(Object.keys(issues).sort(), Object.keys(expected).sort());
      for (const [place, message] of Object.entries(expected)) assert.match(issues[place] ?? "", message);
    });
  }

  test(`${path}: a body that is not JSON, missing, of another type, or too large`, async () => {
    const broken = await post(path, "{");
    assert.equal([broken.status, broken.body.error.code], [400, "invalid_request"]);
    assert.match(broken.body.error.message, "not valid JSON");
    assert.match((await post(path, "")).body.error.message, "no body");
    const text = await send("POST", path, { body: "{}", headers: { "content-type": "text/plain" } });
    assert.equal([text.status, text.body.error.code], [415, "unsupported_media_type"]);
    const large = await post(path, JSON.stringify({ x: "x".repeat(4 * 1024 * 1024) }));
    assert.equal([large.status, large.body.error.code], [413, "payload_too_large"]);
    assert.match(large.body.error.message, "Nothing has been written");
  });

  test(`${path}: another method is 405, and the answer lists what is allowed`, async () => {
    const answer = await send("GET", path);
    assert.equal([answer.status, answer.headers.get("allow")], [405, "POST"]);
    assert.is(answer.body.error.code, "method_not_allowed");
  });
}

/** What is wrong with a record, and the places that its rejection must point at. */
type RecordCase = [path: string, field: string, what: string, record: unknown, issues: Record<string, string>];

const EVENT = { USER_ID: "u", ITEM_ID: "i", EVENT_TYPE: "click" };
const RECORDS: RecordCase[] = [
  ["/update-items", "items", "no id", { TITLE: "x" }, { ITEM_ID: "is missing" }],
  ["/update-items", "items", "an id with a bar", { ITEM_ID: "a|b" }, { ITEM_ID: "separates" }],
  ["/update-items", "items", "a long id", { ITEM_ID: "x".repeat(257) }, { ITEM_ID: "at most 256" }],
  ["/update-items", "items", "a text as number", { ITEM_ID: "i", PRICE: "x" }, { PRICE: "must be a number" }],
  ["/update-items", "items", "a category with a bar", { ITEM_ID: "i", CATEGORIES: ["a|b"] }, { CATEGORIES: "must be" }],
  [
    "/update-items",
    "items",
    "IS_ACTIVE a word",
    { ITEM_ID: "i", IS_ACTIVE: "yes" },
    { IS_ACTIVE: '"True" or "False"' },
  ],
  ["/update-items", "items", "an unknown column", { ITEM_ID: "i", COLOR: 1 }, { COLOR: "is not a column" }],
  ["/update-items", "items", "a list", [], { "": "must be an object" }],
  ["/update-users", "users", "a fraction", { USER_ID: "u", AGE: 1.5 }, { AGE: "must be a whole number" }],
  ["/update-users", "users", "null", null, { "": "must be an object" }],
  ["/log-event", "events", "no user", { ...EVENT, USER_ID: undefined }, { USER_ID: "is missing" }],
  ["/log-event", "events", "no type", { ...EVENT, EVENT_TYPE: "" }, { EVENT_TYPE: "is missing" }],
  ["/log-event", "events", "milliseconds", { ...EVENT, TIMESTAMP: Date.now() }, { TIMESTAMP: "milliseconds" }],
  ["/log-event", "events", "a time with a fraction", { ...EVENT, TIMESTAMP: 1.5 }, { TIMESTAMP: "whole seconds" }],
  ["/log-event", "events", "a value that is no number", { ...EVENT, EVENT_VALUE: "x" }, { EVENT_VALUE: "a number" }],
  ["/log-event", "events", "26 impressions", { ...EVENT, IMPRESSION: ids(26) }, { IMPRESSION: "at most 25" }],
  ["/log-event", "events", "a long id", { ...EVENT, EVENT_ID: "x".repeat(257) }, { EVENT_ID: "at most 256" }],
  ["/log-event", "events", "an unknown column", { ...EVENT, COLOR: 1 }, { COLOR: "is not a column" }],
  [
    "/log-event",
    "events",
    "several things at once",
    { ITEM_ID: "", TIMESTAMP: "x" },
    { USER_ID: "is missing", ITEM_ID: "is missing", EVENT_TYPE: "is missing", TIMESTAMP: "whole seconds" },
  ],
];

for (const [path, field, what, record, expected] of RECORDS) {
  test(`${path}: a record with ${what} is rejected as not retryable`, async () => {
    const answer = await post(path, { [field]: [record] });
    assert.is(answer.status, 400, answer.text);
    const [rejected] = answer.body.response.rejected;
    assert.equal([rejected?.index, rejected?.retryable], [0, false]);
    const issues = Object.fromEntries((rejected?.issues ?? []).map((issue) => [issue.path, issue.message]));
    assert.equal(Object.keys(issues).sort(), Object.keys(expected).sort());
    for (const [place, message] of Object.entries(expected)) assert.match(issues[place] ?? "", message);
  });
}

test("a missing or wrong key is 403, an unknown path 404", async () => {
  const noKey = await send("POST", "/log-event", { headers: { "x-api-key": "" } });
  assert.equal([noKey.status, noKey.body.error.code], [403, "forbidden"]);
  const path = await post("/recommend", {});
  assert.equal([path.status, path.body.error.code], [404, "not_found"]);
});

test("accepts the longest allowed values", async () => {
  const body = { ...TO_USER, user_id: "x".repeat(256), limit: 500, exclude_item_ids: ids(500), context: { A_1: "x" } };
  assert.is((await post("/recommend-items-to-user", body)).body.error.code, "not_trained");
  assert.is((await post("/rank-items-to-user", { ...RANK, item_ids: ids(500) })).body.error.code, "not_trained");
});

test.after(() => world.stop());
test.run();
