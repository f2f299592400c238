import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { rewriteLines } from "../../cli/forget/rewrite-lines.ts";
import type { Line } from "../../cli/forget/sessions.ts";
import { DELETIONS } from "../../lib/platform/naming/object-keys.ts";
import { TABLES } from "../../lib/recommendation/records/tables.ts";
import { linesRead } from "../../lib/recommendation/training/arrivals.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { event, rowsOf, world } from "../lib/recommendation/etl/run.ts";
import { synth } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("docs/guides/data.md");

const DAY = "2025-03-01";
const LINES = ["e1", "e2", "e3"].map((id, index) =>
  JSON.stringify(event(id, { USER_ID: index === 0 ? "gone" : "stays" })),
);

test("the table of stored data names every table of the service, and what expires after how many days", () => {
  const guide = readFileSync("docs/guides/data.md", "utf8");
  const [, table = ""] = /## What is stored where\n([\s\S]*?)\n## /.exec(guide) ?? [];
  for (const name of ["users", "items", "built-in"]) assert.match(table, `<project>-${name}\``);
  assert.is(TABLES.length, 3 + 3, "the other three tables");
  const lifecycle = synth("storage", { config: recommendation() }).resource<{
    rule: Array<{ filter: [{ prefix?: string }]; expiration: [{ days?: number }] }>;
  }>("aws_s3_bucket_lifecycle_configuration", "bucket-lifecycle");
  for (const prefix of ["batch/", "errors/"]) {
    const days = lifecycle.rule.find(({ filter }) => filter[0].prefix === prefix)?.expiration[0].days;
    assert.match(table, `\`${prefix}\` | ${days} days |`);
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
