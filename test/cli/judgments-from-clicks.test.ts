import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import { readJudgments } from "../../packages/lab/judgments/read.ts";
import { daysOf, downloaded } from "../../packages/lab/stored-log/stored-log.ts";
import { suite } from "../suite.ts";
import { relevance } from "./run-cli.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance judgments from-clicks");

const folder = mkdtempSync(join(tmpdir(), "from-clicks-"));
test.after(() => rmSync(folder, { recursive: true }));

const SEARCHES = 40;
const at = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString();

function write(path: string, lines: readonly object[]): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
}

/** A search; half of the users click its second hit, and a tenth its first. */
const search = (index: number) => ({
  query_id: `q${index}`,
  user_query: index % 2 === 0 ? "Salt, road" : "salt,  road",
  query: "{}",
  query_attributes: { index: "books" },
  timestamp: at(index % 3),
  object_id_field: "_id",
  query_response_hit_ids: ["b1", "b2", ...(index < 5 ? ["rare"] : [])],
});
const click = (index: number, object_id: string) => ({
  query_id: `q${index}`,
  action_name: "click",
  event_attributes: { object: { object_id } },
});
const numbers = Array.from({ length: SEARCHES }, (_, index) => index);
write("logs/search/day=2026-11-20/one.gz", numbers.map(search));
write("logs/events/day=2026-11-20/one.gz", [
  ...numbers.filter((index) => index % 10 === 0).map((index) => click(index, "b1")),
  ...numbers.filter((index) => index % 2 === 0).map((index) => click(index, "b2")),
]);
const FILES = ["--files", join(folder, "logs")];
const run = (...args: string[]) => runHere(["judgments", "from-clicks", ...args]);

test("judgments agreement says how far raters agree, and where they do not", async () => {
  const file = join(folder, "raters.csv");
  writeFileSync(file, "query,doc,grade,index,rater\nsalt,b1,3,books,Ada\nsalt,b1,0,books,Ben\nsalt,b2,2,books,Ada\n");
  const agreement = (...args: string[]) => runHere(["judgments", "agreement", file, ...args]);
  const { out, code } = relevance(["judgments", "agreement", file]);
  assert.is(code, 0);
  assert.match(out, /\nAda +2\nBen +1\n\nWeighted kappa 0\.00 \(an interval needs 10 queries\), on 1 /);
  assert.match(
    out,
    /1 disagreements, 1 of them not decided\.\n\nquery +document +Ada +Ben +decided\n.*\nsalt +b1 +3 +0\n/,
  );
  assert.equal(JSON.parse((await agreement("--json", "--index", "books")).out).raters, { Ada: 2, Ben: 1 });
  const absent = await agreement("--index", "films");
  assert.is(absent.code, 2);
  assert.match(absent.err, "none about films");
  writeFileSync(file, `${readFileSync(file, "utf8")}salt,b1,1,films,Ada\nsalt,b1,1,,Cem\n`);
  const mixed = await agreement();
  assert.is(mixed.code, 2);
  assert.match(mixed.err, "is about several indexes, books, films: choose one with --index");
  assert.equal(JSON.parse((await agreement("--json", "--index", "books")).out).raters, { Ada: 2, Ben: 1, Cem: 1 });
});

test("writes a judgments file that evaluate reads", () => {
  const output = join(folder, "judgments.csv");
  const { err, code } = relevance(["judgments", "from-clicks", ...FILES, "--output", output, "--index", "books"]);
  assert.is(code, 0, err);
  assert.match(err, "2 judgments of 1 queries, from 24 clicks; each from 40 to 40 impressions (median 40)");
  assert.match(err, "40 searches name no client, so that robots among them are counted");
  assert.is(readFileSync(output, "utf8").split("\n")[1], '"salt, road",b1,1,books,clicks,40,4');
  // With one query, every hit is exactly the average of its rank.
  assert.equal(
    [...(readJudgments(output).get("salt, road") ?? [])],
    [
      ["b1", 1],
      ["b2", 1],
    ],
  );
});

test("prints the counts behind each judgment as JSON", async () => {
  const { out } = await run(...FILES, "--json", "--min-impressions", "40");
  const [first] = JSON.parse(out);
  assert.equal(first, { query: "salt, road", document: "b1", grade: 1, impressions: 40, clicks: 4, expected: 4 });
});

test("says what is missing", async () => {
  const said = async (...args: string[]) => {
    const { err, code } = await run(...args);
    assert.is.not(code, 0);
    return err;
  };
  assert.match(await said(...FILES, "--min-impressions", "1000"), "No document was shown 1000 times for one query");
  assert.match(
    await said(...FILES, "--index", "films"),
    "The request log has no search with a text in the last 30 days",
  );
  assert.match(await said("--files", join(folder, "nowhere")), "has no files in search/");
  assert.match(await said(...FILES, "--days", "0"), "must be a number of days");
  const silent = join(folder, "silent");
  write("silent/search/one.gz", numbers.map(search));
  assert.match(await said("--files", silent), "No hit was clicked in the last 30 days");
});

test("downloads the days of the period and the day after, whether compressed or not", async () => {
  const period = { from: new Date("2026-11-28T23:00:00Z"), until: new Date("2026-11-30T01:00:00Z") };
  assert.equal(daysOf(period), ["2026-11-28", "2026-11-29", "2026-11-30", "2026-12-01"]);
  const bucket = new Map<string, Buffer>([
    ["logs/events/day=2026-11-27/old", Buffer.from("old")],
    ["logs/events/day=2026-11-29/a", gzipSync("zipped")],
    ["logs/events/day=2026-12-01/b", Buffer.from("plain")],
  ]);
  const objects = {
    async *list(prefix: string) {
      for (const key of bucket.keys()) if (key.startsWith(prefix)) yield { key, etag: "", size: 1 };
    },
    read: async (key: string) =>
      (async function* () {
        yield bucket.get(key) ?? Buffer.alloc(0);
      })(),
  };
  const files = await downloaded(
    objects,
    { prefix: "logs/events/", folders: daysOf(period).map((day) => `day=${day}/`) },
    folder,
  );
  assert.equal(
    files.map((file) => file.split(".").at(-1)),
    ["gz", "jsonl"],
  );
  assert.is(readFileSync(files[1] ?? "", "utf8"), "plain");
});

test("relevance queries lists what people searched for in the same log, and how it failed", async () => {
  const { out, err, code } = relevance(["queries", ...FILES, "--index", "books", "--failing", "abandoned"]);
  assert.is(code, 0, err);
  assert.match(out, /^query +searches +people +zero hits +abandoned +clicks \(expected\) +degraded +slow +p95 ms\n/);
  assert.match(out, /^salt, road +40 +0 +0 +20 +24 \(24\.0\) +0 +0$/m);
  assert.match(err, "1 of 1 queries");
  const wrong = await runHere(["queries", ...FILES, "--failing", "sad"]);
  assert.is(wrong.code, 2);
  assert.match(wrong.err, '"sad" is none of zero-hits, abandoned, few-clicks, degraded, slow');
});

test.run();
