import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { usersOfExperiment } from "../../../../lib/relevance/experiments/users.ts";
import { eventLine } from "../../../../lib/search/request-log/event-line.ts";
import { type RequestLogEntry, requestLogLine } from "../../../../lib/search/request-log/line.ts";
import { scratchFolder } from "../../../../local/process/scratch.ts";
import { TEST_OUTPUT } from "../../../fixtures/env.ts";
import { suite } from "../../../suite.ts";

const test = suite("users of an experiment");

const folder = scratchFolder(TEST_OUTPUT, "experiment-users");
const settings = { application: "shop", userId: "plain", queryText: true } as const;
const PERIOD = { from: new Date("2026-11-01T00:00:00Z"), until: new Date("2026-11-21T00:00:00Z") };

function search(queryId: string, variant: string | null, change: Partial<RequestLogEntry> = {}): string {
  const entry: RequestLogEntry = {
    endpoint: "hybrid-search",
    index: "books",
    key: "shop",
    queryId,
    clientId: null,
    userId: "u1",
    userQuery: "salt",
    query: {},
    settings: null,
    experiment: variant === null ? null : { name: "meaning", variant },
    personalized: false,
    degraded: [],
    milliseconds: { total: 30 },
    timestamp: new Date("2026-11-20T12:00:00Z"),
    objectIdField: "_id",
    responseId: "r",
    hitIds: ["b1", "b2"],
    total: 2,
    ...change,
  };
  return `${requestLogLine(entry, settings)}\n`;
}

function click(query_id: string, object_id: string): string {
  const event_attributes = { object: { object_id }, position: { ordinal: 1 } };
  const source = { key: "shop", clientId: null, receivedAt: new Date("2026-11-20T12:01:00Z") };
  const event = { action_name: "click", timestamp: "2026-11-20T12:01:00Z", query_id, event_attributes };
  return eventLine(event, source, settings);
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
