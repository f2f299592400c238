import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import { MAX_LOGGED_IDS } from "../../lib/platform/request-log/kinds.ts";
import {
  MAX_LINE_BYTES,
  type RequestLogEntry,
  type RequestLogSettings,
  requestLogLine,
} from "../../lib/search/request-log/line.ts";
import { placementWorld } from "../fixtures/placement-world.ts";
import { example } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("docs/guides/request-log.md");

const guide = readFileSync("docs/guides/request-log.md", "utf8");

const entry: RequestLogEntry = {
  endpoint: "hybrid-search",
  index: "books",
  key: "shop",
  queryId: "q-1",
  clientId: "browser-7",
  userId: "U1",
  userQuery: "sea stories",
  query: { text: "x".repeat(MAX_LINE_BYTES) },
  settings: { weights: null, normalization: "min_max", combination: "arithmetic_mean" },
  personalized: false,
  stages: [{ name: "personalization", milliseconds: 3, moved: 8, added: 0, hidden: 0, failed: false }],
  rules: ["red-lamp-week"],
  segments: ["vip"],
  template: "shop",
  subject: "anna",
  degraded: [],
  milliseconds: { total: 31 },
  timestamp: new Date(0),
  objectIdField: "_id",
  responseId: "r-1",
  hitIds: ["b1"],
  total: 1,
};

const settings = { application: "shop", userId: "hmac", queryText: true, hmacKey: "a2V5" } as const;
const line = (changes: Partial<RequestLogEntry> = {}) => JSON.parse(requestLogLine({ ...entry, ...changes }, settings));

/** Returns the names of a line's fields, including each field of query_attributes. */
function fieldsOf({ query_attributes, ...fields }: Record<string, unknown>): string[] {
  return [...Object.keys(fields), ...Object.keys(query_attributes ?? {}).map((name) => `query_attributes.${name}`)];
}

/** Returns the first cells of the rows in a section's first table, without its head. */
function rows(title: string): string[] {
  const [, section = ""] = guide.split(`\n## ${title}\n`);
  const [table = ""] = section.split("\n\n").filter((block) => block.trimStart().startsWith("|"));
  return [...table.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = ""]) => cell);
}

/** Returns the names in these cells. */
const cells = (title: string): string[] => rows(title).map((cell) => cell.slice(1, -1));

test("names exactly the fields of a line", () => {
  // One line is cut, and one cannot be written.
  const written = new Set([...fieldsOf(line()), ...fieldsOf(line({ timestamp: new Date(Number.NaN) }))]);
  assert.equal(cells("Fields").sort(), [...written].sort());
});

test("names exactly the fields of a line of recommendations", async () => {
  const { ask, place, logged } = placementWorld(1);
  place([{ name: "home", recipe: "user_personalization" }]);
  await ask({ placement: "home", user_id: "u1" });
  const named = rows("Recommendations").flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
  assert.equal(named.sort(), Object.keys(logged[0] ?? {}).sort());
});

test("states the limits of a line", () => {
  assert.match(guide, `at most ${MAX_LINE_BYTES / 1_000} KB`);
  assert.match(guide, `the first ${MAX_LOGGED_IDS}`);
});

test("lists every way to write user ids", () => {
  const ways = { plain: true, hmac: true, none: true } satisfies Record<RequestLogSettings["userId"], true>;
  assert.equal(cells("User ids").sort(), Object.keys(ways).sort());
});

test("the key of the hash is the secret's text, unchanged", () => {
  const { user_id } = line();
  assert.is(user_id, createHmac("sha256", Buffer.from("a2V5", "utf8")).update("U1").digest("hex"));
});

test("names the path, the table and the secret as the stacks do", () => {
  const names = namesOf({ project: "<project>", account: "ACCOUNT", region: "REGION" });
  const stack = example("search-gateway", "minimal");
  const table = stack.resource<{ name: string; database_name: string }>("aws_glue_catalog_table", "log-table");
  for (const name of [
    `s3://${names.bucket()}/${PREFIXES.searchLogs}day=`,
    `\`${names.glueDatabase()}\``,
    `\`${table.name}\``,
    names.userIdKeyParameter(),
  ]) {
    assert.ok(guide.includes(name), name);
  }
});

test.run();
