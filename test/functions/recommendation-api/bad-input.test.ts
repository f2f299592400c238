import * as assert from "uvu/assert";
import { suite } from "../../suite.ts";
import { ask } from "./ask.ts";

const test = suite("bad input of the recommendation service");

/** What is wrong, the body, and the places that the answer must point at, each with a part of its message. */
type Case = [what: string, body: unknown, issues: Record<string, string>];

const TO_USER = { user_id: "u1", limit: 10, filter_name: "", filter_value_dict: {} };
const RANK = { user_id: "u1", item_ids: ["a", "b"] };
const ids = (count: number) => Array.from({ length: count }, (_, index) => `i${index}`);
const without = (body: Record<string, unknown>, field: string) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));

const id = "user_id";
const valid: Record<string, unknown> = TO_USER;
const TO_USERS: Case[] = [
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

const CASES: Record<string, Case[]> = {
  "/recommend-items-to-user": TO_USERS,
  "/recommend-items-to-item": [["the fields of another path", TO_USER, { item_id: "is required" }]],
  "/rank-items-to-user": RANKING,
  "/update-items": [
    ["items missing", {}, { items: "is required" }],
    ["an object", { items: {} }, { items: "must be an array" }],
    ["no items", { items: [] }, { items: "must have at least 1 entry" }],
    ["501 items", { items: ids(501) }, { items: "must have at most 500 entries; split the upload" }],
    ["an unknown field", { items: [{}], more: 1 }, { more: "is not a known field" }],
  ],
  "/update-users": [["the fields of another path", { items: [{}] }, { users: "is required", items: "not a known" }]],
  "/log-event": [["the fields of another path", { items: [{}] }, { events: "is required", items: "not a known" }]],
};

for (const [path, cases] of Object.entries(CASES)) {
  for (const [what, body, expected] of cases) {
    test(`${path}: ${what}`, async () => {
      const answer = await ask({}, path, body);
      assert.equal([answer.status, answer.body.error.code], [400, "invalid_request"]);
      const issues = Object.fromEntries(
        answer.body.error.issues.map((issue: { path: string; message: string }) => [issue.path, issue.message]),
      );
      assert.equal(Object.keys(issues).sort(), Object.keys(expected).sort());
      for (const [place, message] of Object.entries(expected)) assert.match(issues[place] ?? "", message);
    });
  }
}

test("a body that is too large is 413, and says that nothing was written", async () => {
  const { status, body } = await ask({}, "/update-items", { x: "x".repeat(4 * 1024 * 1024) });
  assert.equal([status, body.error.code], [413, "payload_too_large"]);
  assert.match(body.error.message, "Nothing has been written");
});

test("an invalid record is rejected with every place that is wrong, and the others are stored", async () => {
  const items = [{ ITEM_ID: "ok" }, { ITEM_ID: "bad", PRICE: "much", TITEL: "x" }, "text", { TITLE: "no id" }];
  const { status, body } = await ask({}, "/update-items", { items });
  assert.equal([status, body.response.accepted], [200, 1]);
  const retryable = false;
  const missing = [{ path: "ITEM_ID", message: "is missing: the schema does not let it be empty" }];
  const columns = [
    { path: "PRICE", message: 'must be a number, got "much"' },
    { path: "TITEL", message: 'is not a column of this dataset; did you mean "TITLE"?' },
  ];
  assert.equal(body.response.rejected, [
    { index: 1, id: "bad", retryable, issues: columns },
    { index: 2, id: null, retryable, issues: [{ path: "", message: 'must be an object, got "text"' }] },
    { index: 3, id: null, retryable, issues: missing },
  ]);
});

test("a record that is wrong is rejected as not retryable, with each wrong column", async () => {
  const wrong = { ITEM_ID: "", TIMESTAMP: "x" };
  const { status, body } = await ask({}, "/log-event", { events: [wrong] });
  const [rejected] = body.response.rejected;
  assert.equal([status, rejected.index, rejected.retryable], [400, 0, false]);
  const columns = rejected.issues.map(({ path }: { path: string }) => path);
  assert.equal(columns.sort(), ["EVENT_TYPE", "ITEM_ID", "TIMESTAMP", "USER_ID"]);
});

test("accepts the longest allowed values", async () => {
  const longest = {
    ...TO_USER,
    user_id: "x".repeat(256),
    limit: 500,
    exclude_item_ids: ids(500),
    context: { A_1: "x" },
  };
  assert.is((await ask({}, "/recommend-items-to-user", longest)).body.error.code, "not_trained");
  assert.is((await ask({}, "/rank-items-to-user", { ...RANK, item_ids: ids(500) })).body.error.code, "not_trained");
});

test.run();
