import { createHmac } from "node:crypto";
import * as assert from "uvu/assert";
import { isRequestLogLine } from "../../../../lib/platform/request-log/kinds.ts";
import { loggedUserId } from "../../../../lib/platform/request-log/user-ids.ts";
import {
  MAX_LINE_BYTES,
  type RequestLogEntry,
  type RequestLogSettings,
  requestLogLine,
} from "../../../../lib/search/request-log/line.ts";
import { suite } from "../../../suite.ts";

const test = suite("request log line");

const settings: RequestLogSettings = { application: "shop", userId: "plain", queryText: true };

const entry: RequestLogEntry = {
  endpoint: "hybrid-search",
  index: "books",
  key: "shop",
  queryId: "q-1",
  clientId: "browser-7",
  userId: "u-1",
  userQuery: "sea stories",
  query: { query: { hybrid: { queries: [{ knn: { description_dense: { vector: "[description_dense]", k: 10 } } }] } } },
  settings: { weights: null, normalization: "min_max", combination: "arithmetic_mean" },
  personalized: false,
  degraded: [{ stage: "embedding", target: "description_dense", reason: "timed out", effect: "subquery 1 left out" }],
  milliseconds: { total: 31, cluster: 24 },
  timestamp: new Date("2026-01-02T03:04:05.678Z"),
  objectIdField: "_id",
  responseId: "r-1",
  hitIds: ["b1", "b2"],
  total: 2,
  template: "shop_both",
};

const parsed = (changes: Partial<RequestLogEntry> = {}, other: Partial<RequestLogSettings> = {}) =>
  JSON.parse(requestLogLine({ ...entry, ...changes }, { ...settings, ...other }));

test("has the fields of the User Behavior Insights query schema", () => {
  assert.equal(parsed(), {
    type: "relevance.search",
    application: "shop",
    query_id: "q-1",
    client_id: "browser-7",
    user_id: "u-1",
    user_query: "sea stories",
    query: JSON.stringify(entry.query),
    query_attributes: {
      index: "books",
      endpoint: "hybrid-search",
      key: "shop",
      settings: entry.settings,
      experiment: null,
      personalized: false,
      degraded: entry.degraded,
      milliseconds: { total: 31, cluster: 24 },
      template: "shop_both",
    },
    timestamp: "2026-01-02T03:04:05.678Z",
    object_id_field: "_id",
    query_response_id: "r-1",
    query_response_hit_ids: ["b1", "b2"],
    total: 2,
  });
});

test("has the segments of the user, if the request names some", () => {
  assert.equal(parsed({ segments: ["vip"] }).query_attributes.segments, ["vip"]);
  for (const segments of [[], null]) assert.not.ok("segments" in parsed({ segments }).query_attributes);
});

test("is recognized by its beginning, even when it was cut", () => {
  const line = requestLogLine(entry, settings);
  assert.equal([isRequestLogLine(line), isRequestLogLine(line.slice(0, 60))], [true, true]);
  assert.not(isRequestLogLine('{"level":"info","message":"relevance.search"}'));
});

test("is one line, whatever the query holds", () => {
  assert.not.match(requestLogLine({ ...entry, userQuery: "a\nb\r\n" }, settings), /[\r\n]/);
});

test("keeps the first hundred hit ids", () => {
  const ids = parsed({ hitIds: Array.from({ length: 150 }, (_, n) => `b${n}`) }).query_response_hit_ids;
  assert.equal([ids.length, ids.at(-1)], [100, "b99"]);
});

test("cuts a longer query so that the line fills its limit, and says so", () => {
  const long = { match: { title: 'ä"\u0001😀'.repeat(60_000) } };
  const line = requestLogLine({ ...entry, query: long }, settings);
  const size = Buffer.byteLength(line);
  assert.ok(size <= MAX_LINE_BYTES && size > MAX_LINE_BYTES - 20, `${size} bytes`);
  const { truncated, query, query_response_hit_ids } = JSON.parse(line);
  assert.is(truncated, true);
  assert.ok(JSON.stringify(long).startsWith(query));
  assert.equal(query_response_hit_ids, ["b1", "b2"]);
});

test("stays below its limit with the longest ids, each character escaped", () => {
  const line = requestLogLine({ ...entry, hitIds: Array(100).fill("\u0001".repeat(512)) }, settings);
  assert.ok(Buffer.byteLength(line) <= MAX_LINE_BYTES);
  assert.is(JSON.parse(line).truncated, true);
  assert.ok(JSON.parse(line).query_response_hit_ids.length >= 25);
});

test("cuts a text at 10,000 characters without splitting a character, and says so", () => {
  const { user_query, truncated } = parsed({ userQuery: `${"a".repeat(9_999)}😀b` });
  assert.equal([user_query, truncated], ["a".repeat(9_999), true]);
});

test("cuts the client's own id", () => {
  assert.is(parsed({ clientId: "x".repeat(100_000) }).client_id.length, 512);
});

test("writes the user id as an HMAC that joins lines of one user", () => {
  const expected = createHmac("sha256", "secret").update("u-1").digest("hex");
  assert.is(parsed({}, { userId: "hmac", hmacKey: "secret" }).user_id, expected);
});

test("writes no user id without the HMAC key or when user ids are switched off", () => {
  assert.is(parsed({}, { userId: "hmac" }).user_id, null);
  assert.is(parsed({}, { userId: "none" }).user_id, null);
});

test("omits the query text everywhere when it is switched off", () => {
  const line = requestLogLine(
    { ...entry, query: { query: { match: { title: "sea stories" } } } },
    { ...settings, queryText: false },
  );
  assert.not.match(line, /sea stories/);
  assert.equal([JSON.parse(line).user_query, JSON.parse(line).query], [null, null]);
});

test("never throws: writes a line that still names the query when a value cannot be serialized", () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const line = parsed({ query: circular });
  assert.equal([line.type, line.query_id, line.truncated], ["relevance.search", "q-1", true]);
  assert.match(line.query_attributes.log_error, /circular/i);
});

test("never throws: an invalid date or attributes over the limit", () => {
  assert.is(parsed({ timestamp: new Date(Number.NaN) }).truncated, true);
  assert.is(parsed({ settings: "x".repeat(300_000) }).truncated, true);
});

test("a text is cut between characters: a pair of surrogates stays whole or is left out, and any other unit is kept", () => {
  for (const [text, kept] of [
    [`${"a".repeat(511)}\u{1f600}`, 511],
    [`${"a".repeat(510)}\u{1f600}x`, 512],
    [`${"a".repeat(511)}\uff61x`, 512],
    [`${"a".repeat(511)}\ud7ffx`, 512],
  ] as const) {
    assert.is(loggedUserId(text, { userId: "plain" }), text.slice(0, kept));
  }
});

test.run();
