import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { ROOT } from "../fixtures/env.ts";
import { removeShopKey } from "../fixtures/shop-key.ts";
import { suite } from "../suite.ts";
import { relevance } from "./run-cli.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance report recommendations");

const folder = mkdtempSync(join(tmpdir(), "report-recommendations-"));
test.after(() => rmSync(folder, { recursive: true }));
const conf = join(folder, "conf");
cpSync(join(ROOT, "conf.local"), conf, { recursive: true });
removeShopKey(conf);
writeFileSync(
  join(conf, "recommendation.yaml"),
  `
placements:
  - name: home
    experiment: { name: more, variants: [{ name: a, share: 0.5 }, { name: b, share: 0.5 }] }
`,
);

function write(path: string, lines: readonly object[]): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

const hourAgo = Math.floor(Date.now() / 1000) - 3_600;
const users = Array.from({ length: 200 }, (_, index) => `u${index}`);
write(
  "log/logs/recommendations/day=2026-11-20/one.jsonl",
  users.map((user_id, index) => ({
    ...{ request_id: user_id, user_id, placement: "home", item_ids: ["i1", "i2"], fallback: null, degraded: [] },
    ...{ experiment: "more", variant: index % 2 ? "b" : "a", milliseconds: 20 },
    timestamp: new Date(hourAgo * 1000).toISOString(),
  })),
);
write(
  "log/events/2026/11/20/00/one.jsonl",
  users
    .filter((_, index) => index % 4 === 1)
    .map((USER_ID) => ({ EVENT_ID: USER_ID, USER_ID, ITEM_ID: "i2", EVENT_TYPE: "order", TIMESTAMP: hourAgo + 60 })),
);

const argsFor = (...args: string[]) => ["report", "recommendations", "--conf", conf, ...args];
const errorsOf = async (...args: string[]) => (await runHere(argsFor(...args))).err;

test("prints a table, whether lists beat popular items, and each experiment", () => {
  const { out, err, code } = relevance(argsFor("--files", join(folder, "log"), "--conversions", "order, rent"));
  assert.is(code, 0, err);
  assert.match(out, /^home +200 +200 +0\.2500 \(0\.\d{4} to 0\.\d{4}\) +0\.2500 /m);
  assert.match(
    out,
    /^home has about as much of what users did next as popular items would have: 1\.0000 beside 1\.0000/m,
  );
  assert.match(out, /^Experiment more:\nb is better than a in click_through \(lists with a click\): \+0\.5000 /m);
});

test("says what is missing", async () => {
  assert.match(await errorsOf("--files", folder), "has no files in logs/recommendations/");
  assert.match(await errorsOf("--files", join(folder, "log"), "--conversions", "a,,b"), "must be event types");
  write("old/logs/recommendations/day=2020-01-01/one.jsonl", [{ request_id: "r", timestamp: "2020-01-01T00:00:00Z" }]);
  assert.match(
    await errorsOf("--files", join(folder, "old"), "--days", "7"),
    "no answer of the recommendation service in the last 7",
  );
});

test.run();
