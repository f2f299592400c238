import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import { withLog } from "../../../../lib/relevance/clicks/database.ts";
import { shownAndClicked } from "../../../../lib/relevance/clicks/stored-log.ts";
import { scratchFolder } from "../../../../local/process/scratch.ts";
import { TEST_OUTPUT } from "../../../fixtures/env.ts";
import { storedEvent as event, storedSearch as search } from "../../../fixtures/stored-lines.ts";
import { suite } from "../../../suite.ts";

const test = suite("clicks of the stored request log");

const folder = scratchFolder(TEST_OUTPUT, "stored-log");
const scratch = join(folder, "scratch");
mkdirSync(scratch);

function file(name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, gzipSync(lines.join("")));
  return path;
}

const PERIOD = { from: new Date("2026-11-01T00:00:00Z"), until: new Date("2026-11-21T00:00:00Z") };

test("counts impressions and clicks by query, document and rank, and ignores duplicate lines and clicks", async () => {
  const searches = file("searches.gz", [
    search({ userQuery: "Salt  Road" }),
    search({ userQuery: "Salt  Road" }),
    search({ queryId: "q2", userQuery: "salt road " }),
    search({ queryId: "page2", query: { from: 2 }, hitIds: ["b3"] }),
    search({ queryId: "old", timestamp: new Date("2026-10-31T12:00:00Z") }),
    search({ queryId: "other", index: "films" }),
    search({ queryId: "silent", userQuery: null }),
    '{"type":"relevance.search","query_id":"cut',
    "\n",
  ]);
  const events = file("events.gz", [
    event("q1", "b2"),
    event("q1", "b2"),
    event("q2", "b1", "add_to_cart"),
    event("page2", "b3"),
    event("nobody", "b1"),
  ]);
  const counted = await shownAndClicked(
    { searches: [searches], events: [events], scratch },
    { ...PERIOD, index: "books" },
  );
  assert.equal(counted.idFields, ["_id"]);
  assert.equal(counted.shown, [
    { query: "salt road", document: "b1", rank: 1, impressions: 2, clicks: 0 },
    { query: "salt road", document: "b2", rank: 2, impressions: 2, clicks: 1 },
    { query: "salt road", document: "b3", rank: 3, impressions: 1, clicks: 1 },
  ]);
});

test("returns no clicks without events, and nothing without searches", async () => {
  const searches = [file("alone.gz", [search({ hitIds: ["b'1"] })])];
  assert.equal((await shownAndClicked({ searches, events: [], scratch }, PERIOD)).shown, [
    { query: "salt road", document: "b'1", rank: 1, impressions: 1, clicks: 0 },
  ]);
  assert.equal((await shownAndClicked({ searches: [], events: [], scratch }, PERIOD)).shown, []);
});

test("data that does not fit into memory goes to the given folder, not to the working directory", async () => {
  const setting = await withLog({ searches: [], events: [], scratch }, PERIOD, async (database) => {
    const [row] = await database.rows("SELECT current_setting('temp_directory') AS folder");
    return String(row?.folder);
  });
  assert.ok(setting.startsWith(scratch), setting);
});

test.run();
