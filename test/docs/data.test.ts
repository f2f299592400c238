import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/core/naming/names.ts";
import { ARRIVAL_ATTEMPTS, afterEtl, linesRead } from "../../lib/recommendation/training/arrivals.ts";
import { event, rowsOf, world } from "../lib/recommendation/etl/run.ts";
import { recommendation, synth } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("docs/guides/data.md");

const guide = readFileSync("docs/guides/data.md", "utf8");
const [, section = ""] = guide.split("\n## Deleting one person's data\n");

const DAY = "2025-03-01";
const LINES = ["e1", "e2", "e3"].map((id, index) =>
  JSON.stringify(event(id, { USER_ID: index === 0 ? "gone" : "stays" })),
);

test("events replaced as it says are trained no more, and training misses none of those accepted", async () => {
  const { store, events, run } = world();
  events(DAY, "a", `${LINES.join("\n")}\n`);
  await run("before");
  const accepted = await linesRead("before", [DAY], store);
  assert.is(accepted, LINES.length);

  const [, replacement = ""] = /then "([^"]*)" else \. end/.exec(section) ?? [];
  const kept = LINES.map((line) => (JSON.parse(line).USER_ID === "gone" ? replacement : line));
  events(DAY, "a", `${kept.join("\n")}\n`);
  for (const key of store.objects.keys()) if (key.startsWith("etl/")) store.objects.delete(key);
  await run("after");
  assert.is(await linesRead("after", [DAY], store), accepted);
  assert.is(rowsOf(store, "after", "interactions").length, LINES.length - 1);
  assert.equal(
    Object.entries(store.texts("")).filter(([, text]) => text.includes("gone")),
    [],
  );
});

test("lines that are taken out stop the training, as it warns", async () => {
  const { store, events, run } = world();
  events(DAY, "a", `${LINES.slice(1).join("\n")}\n`);
  await run("r");
  const lines = await linesRead("r", [DAY], store);
  const found = { accepted: LINES.length, lines, attempts: ARRIVAL_ATTEMPTS };
  assert.is(afterEtl({ ...found, acceptMissing: false }).next, "stop");
  assert.is(afterEtl({ ...found, acceptMissing: true }).next, "train");
});

test("the deletion job's role and file are ones that Personalize may use; names are the stacks'", () => {
  const names = namesOf({ project: "<project>", account: "ACCOUNT", region: "REGION" });
  for (const name of [
    `--table-name ${names.table("users")} `,
    `\`${names.bucket()}\``,
    names.arn("personalize", `dataset-group/${names.datasetGroup()}`),
    names.roleArn(names.role("personalize")),
  ]) {
    assert.ok(section.includes(name), name);
  }
  const [, location = ""] = /dataLocation=s3:\/\/BUCKET\/(\S+)/.exec(section) ?? [];
  const config = recommendation();
  const { policy } = synth("personalization", { config }).resource<{ policy: string }>(
    "aws_iam_role_policy",
    "import-policy",
  );
  const readable = [...policy.matchAll(/arn:aws:s3:::[^/"]+\/([^*"]+)\*/g)].map(([, prefix = ""]) => prefix);
  assert.ok(
    readable.some((prefix) => location.startsWith(prefix)),
    `${location} of ${readable}`,
  );
});

test.run();
