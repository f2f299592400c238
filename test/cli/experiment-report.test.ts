import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import type { ExperimentReport } from "../../packages/lab/experiments/report.ts";
import { configurationFolder } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { relevance } from "./run-cli.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance experiment report");

const folder = mkdtempSync(join(tmpdir(), "experiment-report-"));
test.after(() => rmSync(folder, { recursive: true }));
const conf = join(folder, "conf");
cpSync(configurationFolder("all-options"), conf, { recursive: true });

function write(path: string, lines: readonly object[]): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** 150 users of each variant with 4 searches each; those of "meaning" click twice as often. */
function logs(name: string, counts: Readonly<Record<string, number>>): string {
  const users = Object.entries(counts).flatMap(([variant, count]) =>
    Array.from({ length: count }, (_, index) => ({ variant, user_id: `${variant}-${index}`, index })),
  );
  const searches = users.flatMap(({ variant, user_id, index }) =>
    [0, 1, 2, 3].map((place) => ({
      query_id: `${user_id}-${place}`,
      user_id,
      user_query: "salt",
      query: "{}",
      query_attributes: { experiment: { name: "more_meaning", variant }, milliseconds: { total: 20 + place } },
      timestamp: new Date(Date.now() - 3_600_000).toISOString(),
      query_response_hit_ids: ["b1", "b2"],
      total: 2,
      clicked: place < (variant === "meaning" ? 2 : 1) + (index % 2),
    })),
  );
  write(`${name}/search/day=2026-11-20/one.jsonl`, searches);
  const clicks = searches.filter(({ clicked }) => clicked);
  write(
    `${name}/events/day=2026-11-20/one.jsonl`,
    clicks.map(({ query_id }) => ({
      query_id,
      action_name: "click",
      event_attributes: { object: { object_id: "b2" } },
    })),
  );
  return join(folder, name);
}

const argsFor = (...args: string[]) => ["experiment", "report", "more_meaning", "--conf", conf, ...args];
const run = (...args: string[]) => runHere(argsFor(...args));
const even = logs("even", { control: 150, meaning: 150 });

test("prints a table and which variant is better", () => {
  const { out, err, code } = relevance(argsFor("--files", even));
  assert.is(code, 0, err);
  assert.match(out, /^control +150 +600 +0\.3750 \(0\.3552 to 0\.3953\)/m);
  assert.match(out, /^meaning is better than control in click_through \(searches with a click\): \+0\.2500 /m);
  assert.match(out, /each variant needs \d+ users\.\n$/);
});

test("prints every number as JSON, also for another measure", async () => {
  const report: ExperimentReport = JSON.parse((await run("--files", even, "--json", "--metric", "milliseconds")).out);
  assert.equal(report.outcomes, [{ variant: "meaning", outcome: "no difference" }]);
  assert.equal(
    report.variants.map(({ measures }) => measures.clicks_mrr.value),
    [0.1875, 0.3125],
  );
  assert.is(report.variants[0]?.measures.milliseconds.value, 21.5);
});

test("says that an unexpected split makes the report unreliable, and that there are few users", async () => {
  const { out } = await run("--files", logs("uneven", { control: 150, meaning: 60 }));
  assert.match(
    out,
    /Do not trust this report: the users \(control 150, meaning 60\) are not split as configured \(p = \d/,
  );
  assert.match(out, "Fewer than 100 users in meaning");
});

test("says which variant users prefer where hits are interleaved", async () => {
  const other = join(folder, "interleaving");
  cpSync(conf, other, { recursive: true });
  const file = join(other, "hybrid_search.yaml");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace("name: more_meaning", "name: more_meaning\n    kind: interleave"),
  );
  const searches = Array.from({ length: 120 }, (_, at) => ({
    ...{ query_id: `q${at}`, user_id: `u${at}`, timestamp: new Date(Date.now() - 3_600_000).toISOString(), total: 2 },
    query_attributes: {
      experiment: { name: "more_meaning", variant: "interleaved", teams: ["control", "meaning"] },
    },
    query_response_hit_ids: ["b1", "b2"],
  }));
  write("both/search/day=2026-11-20/one.jsonl", searches);
  const clicks = searches.map(({ query_id }, at) => ({
    ...{ query_id, action_name: "click" },
    event_attributes: { object: { object_id: at % 4 === 0 ? "b1" : "b2" } },
  }));
  write("both/events/day=2026-11-20/one.jsonl", clicks);
  const { out, err, code } = await runHere([
    ...["experiment", "report", "more_meaning", "--conf", other, "--files", join(folder, "both")],
  ]);
  assert.is(code, 0, err);
  assert.match(out, /^Users prefer meaning: \+0\.5000 /);
});

test("says what is missing", async () => {
  assert.match(
    (await runHere(["experiment", "report", "other", "--conf", conf])).err,
    'has no experiment "other"; it has more_meaning',
  );
  assert.match(
    (await run("--files", even, "--metric", "joy")).err,
    "must be click_through, clicks_mrr, zero_hits, milliseconds",
  );
  assert.match(
    (await run("--files", logs("nobody", {}))).err,
    "has no search of a user in more_meaning in the last 30 days",
  );
});

test.run();
