import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { REWRITTEN } from "../../cli/forget/forget.ts";
import { rewriteLines } from "../../cli/forget/rewrite-lines.ts";
import type { Line } from "../../cli/forget/sessions.ts";
import { RESTORABLE } from "../../cli/recommendation/restore.ts";
import type { StreamName } from "../../lib/platform/naming/names.ts";
import { DELETIONS, PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import { TABLES } from "../../lib/recommendation/records/tables.ts";
import { linesRead } from "../../lib/recommendation/training/arrivals.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { event, rowsOf, world } from "../lib/recommendation/etl/run.ts";
import { synth } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("docs/guides/data.md");

const topOf = (prefix: string) => prefix.slice(0, prefix.indexOf("/") + 1);

/** The streams that store what they could not deliver: a record, so that a new one does not compile without its name. */
const STREAMS = Object.keys({
  "search-logs": true,
  "search-events": true,
  "recommendation-logs": true,
  events: true,
} satisfies Record<StreamName, true>);

const DAY = "2025-03-01";
const LINES = ["e1", "e2", "e3"].map((id, index) =>
  JSON.stringify(event(id, { USER_ID: index === 0 ? "gone" : "stays" })),
);

/** The rows of the table of stored data: where, how long, and by what it is deleted. */
const STORED = (() => {
  const guide = readFileSync("docs/guides/data.md", "utf8");
  const [, table = ""] = /## What is stored where\n([\s\S]*?)\n## /.exec(guide) ?? [];
  const rows = table.split("\n").filter((line) => line.startsWith("| "));
  return rows
    .map((line) => line.split(" | "))
    .map(([, where = "", kept = "", , , deleted = ""]) => ({ where, kept, deleted }));
})();

/** Returns what the table has for a place of the service: a table, or a prefix of the bucket. */
const rowOf = (place: string) => {
  const row = STORED.find(({ where }) => where.includes(`\`${place}\``));
  assert.ok(row, `docs/guides/data.md does not say what is stored in ${place}`);
  return row;
};

/** The tables with a row for the user, which `forget` deletes. */
const FORGOTTEN_TABLES = ["users", "built-in"];

test("the table of stored data says what happens to each table, and `forget` and `restore` do it", () => {
  const named = TABLES.filter((name) => STORED.some(({ where }) => where.includes(`\`<project>-${name}\``)));
  assert.equal(named.toSorted(), ["built-in", "items", "users"]);
  assert.is(TABLES.length, named.length + 3, "the other three tables");
  for (const name of FORGOTTEN_TABLES) assert.match(rowOf(`<project>-${name}`).deleted, "`forget`");
  for (const name of RESTORABLE) assert.match(rowOf(`<project>-${name}`).kept, "recovery 35 days");
});

test("the table of stored data has each prefix of the bucket, and says which ones `forget` clears", () => {
  const top = Object.values(PREFIXES).filter((prefix) => prefix.indexOf("/") === prefix.length - 1);
  const clears = new Set([...Object.values(REWRITTEN).flat(), PREFIXES.etl, PREFIXES.forget].map(topOf));
  for (const prefix of top) assert.is(/`forget`/.test(rowOf(prefix).deleted), clears.has(prefix), prefix);
  const streams = REWRITTEN.events.concat(REWRITTEN["request-log"]).filter((one) => topOf(one) === "errors/");
  assert.equal(streams.map((one) => one.split("/")[1]).toSorted(), STREAMS.toSorted());
});

test("the table of stored data says after how many days what expires by itself", () => {
  const lifecycle = synth("storage", { config: recommendation() }).resource<{
    rule: Array<{ filter: [{ prefix?: string }]; expiration: [{ days?: number }] }>;
  }>("aws_s3_bucket_lifecycle_configuration", "bucket-lifecycle");
  for (const prefix of ["batch/", "errors/", "athena/"]) {
    const days = lifecycle.rule.find(({ filter }) => filter[0].prefix === prefix)?.expiration[0].days;
    assert.match(rowOf(prefix).kept, `${days} day`);
  }
});

test("training skips events that `relevance forget` replaced, and still counts them as accepted", async () => {
  const { store, events, run } = world();
  events(DAY, "a", `${LINES.join("\n")}\n`);
  await run("before");
  const accepted = await linesRead("before", [DAY], store);
  assert.is(accepted, LINES.length);

  const rule = { namesOf: ({ USER_ID }: Line) => [USER_ID], ids: ["gone"], replacement: "{}" };
  events(DAY, "a", String(rewriteLines(Buffer.from(`${LINES.join("\n")}\n`), rule)?.body));
  for (const key of store.objects.keys()) if (key.startsWith("etl/")) store.objects.delete(key);
  await run("after");
  assert.is(await linesRead("after", [DAY], store), accepted);
  assert.is(rowsOf(store, "after", "interactions").length, LINES.length - 1);
  assert.equal(
    Object.entries(store.texts("")).filter(([, text]) => text.includes("gone")),
    [],
  );
});

test("the list of users for the deletion job is where Personalize may read it", () => {
  const { policy } = synth("personalization", { config: recommendation() }).resource<{ policy: string }>(
    "aws_iam_role_policy",
    "import-policy",
  );
  const readable = [...policy.matchAll(/arn:aws:s3:::[^/"]+\/([^*"]+)\*/g)].map(([, prefix = ""]) => prefix);
  assert.ok(
    readable.some((prefix) => DELETIONS.startsWith(prefix)),
    `${readable}`,
  );
});

test.run();
