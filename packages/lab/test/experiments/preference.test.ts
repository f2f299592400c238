import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { storedEvent, storedSearch } from "../../../../test/fixtures/stored-lines.ts";
import { suite } from "../../../../test/suite.ts";
import { preferenceLines, preferenceReport, preferencesOf } from "../../experiments/preference.ts";

const test = suite("preference between interleaved variants");

const folder = scratchFolder(TEST_OUTPUT, "experiment-preference");
const PERIOD = { from: new Date("2026-11-01T00:00:00Z"), until: new Date("2026-11-21T00:00:00Z") };
const EXPERIMENT = {
  name: "meaning",
  variants: [
    { name: "old", share: 0.5 },
    { name: "new", share: 0.5 },
  ],
};
const HITS = ["b1", "b2", "b3"];

const search = (queryId: string, userId: string | null, teams: Array<string | null>, variant = "interleaved") =>
  storedSearch({ queryId, userId, hitIds: HITS, experiment: { name: "meaning", variant, teams } });

test("a search counts for the variant of which more hits were clicked", async () => {
  const searches = [
    search("q1", "u1", ["new", "old", "new"]),
    search("q2", "u1", ["old", "new", null]),
    search("q3", "u2", ["old", "new", "old"]),
    search("q4", "u2", ["old", "new", "old"]),
    search("q5", null, ["old", "new", "old"]),
    search("q6", "u3", ["old", "new", "old"], "new"),
  ];
  const clicks = [
    ...["b1", "b2", "b3"].map((id) => storedEvent("q1", id)),
    storedEvent("q2", "b3"),
    storedEvent("q3", "b1"),
    storedEvent("q4", "b1"),
    storedEvent("q4", "b2"),
    storedEvent("q6", "b2"),
  ];
  const files = { searches: join(folder, "searches.jsonl"), events: join(folder, "events.jsonl") };
  writeFileSync(files.searches, searches.join(""));
  writeFileSync(files.events, clicks.join(""));
  const log = { searches: [files.searches], events: [files.events], scratch: folder };
  const users = await preferencesOf(log, PERIOD, EXPERIMENT);
  assert.equal(users, [
    { searches: 2, credit: 1 },
    { searches: 2, credit: -1 },
  ]);
  const report = preferenceReport(EXPERIMENT, users);
  assert.is(report.preference.value, 0);
  assert.is(report.preferred, null);
  assert.match(preferenceLines(report).join(" "), "prefer neither new nor old");
});

test("names the variant that users prefer", () => {
  const users = Array.from({ length: 200 }, (_, at) => ({ searches: 2, credit: at % 3 === 0 ? -1 : 1 }));
  const report = preferenceReport(EXPERIMENT, users);
  assert.is(report.preferred, "new");
  assert.match(preferenceLines(report)[0] ?? "", "Users prefer new: +0.16");
  const other = preferenceReport(
    EXPERIMENT,
    users.map(({ searches, credit }) => ({ searches, credit: -credit })),
  );
  assert.is(other.preferred, "old");
});

test.run();
