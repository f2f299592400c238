import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestLogEntry } from "@relevance/lib/search/request-log/line.ts";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { storedEvent as click, storedSearch } from "../../../../test/fixtures/stored-lines.ts";
import { suite } from "../../../../test/suite.ts";
import { usersOfExperiment } from "../../experiments/users.ts";

const test = suite("users of an experiment");

const folder = scratchFolder(TEST_OUTPUT, "experiment-users");
const PERIOD = { from: new Date("2026-11-01T00:00:00Z"), until: new Date("2026-11-21T00:00:00Z") };

function search(queryId: string, variant: string | null, change: Partial<RequestLogEntry> = {}): string {
  const experiment = variant === null ? null : { name: "meaning", variant };
  return storedSearch({ queryId, experiment, userId: "u1", milliseconds: { total: 30 }, ...change });
}

function file(name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.join(""));
  return path;
}

test("sums up searches, first clicks, empty answers and time of each user, or client", async () => {
  const client = { userId: null, clientId: "browser" };
  const searches = file("searches.jsonl", [
    search("q1", "a"),
    search("q1", "a"),
    search("q2", "a", { milliseconds: { total: 50 } }),
    search("q3", "a", { hitIds: [], total: 0 }),
    search("q4", "b", client),
    search("q5", "b", { ...client, query: { from: 2 }, hitIds: [] }),
    search("elsewhere", null, { userId: "u9" }),
    search("old", "a", { userId: "u8", timestamp: new Date("2026-10-01T00:00:00Z") }),
    search("nobody", "a", { userId: null }),
    search("m1", "a", { userId: "both" }),
    search("m2", "b", { userId: "both" }),
  ]);
  const events = file("events.jsonl", [
    click("q1", "b2"),
    click("q1", "b1"),
    click("q2", "b2"),
    click("q4", "unknown"),
  ]);
  const { users, ...left } = await usersOfExperiment(
    { searches: [searches], events: [events], scratch: folder },
    PERIOD,
    "meaning",
  );
  assert.equal(left, { mixedUsers: 1, anonymousSearches: 1 });
  assert.equal(
    users.toSorted((x, y) => x.variant.localeCompare(y.variant)),
    [
      { variant: "a", searches: 3, clicked: 2, reciprocal: 1.5, empty: 1, milliseconds: 110 },
      { variant: "b", searches: 2, clicked: 0, reciprocal: 0, empty: 0, milliseconds: 60 },
    ],
  );
});

test.run();
