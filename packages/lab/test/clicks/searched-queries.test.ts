import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { storedEvent, storedSearch } from "../../../../test/fixtures/stored-lines.ts";
import { suite } from "../../../../test/suite.ts";
import { FAILURES, failing, firstOfEach, hasClicks } from "../../clicks/failures.ts";
import { searchedQueries } from "../../clicks/searched-queries.ts";

const test = suite("searches of the request log");

const folder = join(scratchFolder(TEST_OUTPUT, "searched-queries"), "log");
const scratch = join(folder, "scratch");
mkdirSync(scratch, { recursive: true });
const PERIOD = { from: new Date("2026-11-20"), until: new Date("2026-11-21") };
const files = { searches: join(folder, "searches"), events: join(folder, "events") };

const degraded = [{ stage: "embedding", target: "v", reason: "paused", effect: "subquery 2 left out" }] as const;
const of = (userQuery: string, count: number, change: Parameters<typeof storedSearch>[0] = {}) =>
  Array.from({ length: count }, (_, index) =>
    storedSearch({
      ...{ queryId: `${userQuery}-${index}`, clientId: `c${index}`, userQuery, milliseconds: { total: 20 } },
      ...change,
    }),
  );
writeFileSync(
  files.searches,
  [
    ...of("Salt  road", 40),
    ...of("sunken", 10, { hitIds: [], total: 0 }),
    ...of("bell", 19),
    // The same words in another spelling.
    storedSearch({ queryId: "same", clientId: "c19", userQuery: "Bé\u00adll!", milliseconds: { total: 20 } }),
    ...of("lamp", 3, { degraded, milliseconds: { total: 900 } }),
    // A page without hits, of which there are some: the user asked for facets.
    ...of("facets", 2, { hitIds: [], total: 7 }),
    ...of("films", 3, { index: "films" }),
    // The second page of a search is none of its own.
    storedSearch({ queryId: "more", userQuery: "bell", query: { from: 10 } }),
  ].join(""),
);
writeFileSync(
  files.events,
  Array.from({ length: 30 }, (_, index) => storedEvent(`Salt  road-${index}`, "b1")).join(""),
);
const read = (index?: string) =>
  searchedQueries({ searches: [files.searches], events: [files.events], scratch }, { ...PERIOD, index });

test("are counted by their text, with what became of them", async () => {
  const queries = await read("books");
  assert.is(hasClicks(queries), true);
  assert.equal(
    queries.map(({ query, searches, people, zeroHits, abandoned, clicks, degraded, slow }) => [
      ...[query, searches, people, zeroHits, abandoned, clicks, degraded, slow],
    ]),
    [
      ["salt road", 40, 40, 0, 10, 30, 0, 0],
      ["bell", 20, 20, 0, 20, 0, 0, 0],
      ["sunken", 10, 10, 10, 0, 0, 0, 0],
      ["lamp", 3, 3, 0, 3, 0, 3, 3],
      ["facets", 2, 2, 0, 0, 0, 0, 0],
    ],
  );
  const bell = queries[1];
  // 30 of 63 first hits were clicked, so 20 searches get 9.5 clicks elsewhere.
  assert.ok(bell && Math.abs(bell.expectedClicks - (20 * 30) / 63) < 1e-9, String(bell?.expectedClicks));
  assert.is(bell && Math.round(FAILURES["few-clicks"](bell)), 10);
});

test("of every index are listed without one", async () => {
  const queries = await read();
  const films = queries.find(({ query }) => query === "films");
  assert.equal([films?.searches, films?.index], [3, "films"]);
});

test("are sorted by how often they failed, and each list keeps its first ones", async () => {
  const queries = await read("books");
  const names = (all: readonly { query: string }[]) => all.map(({ query }) => query);
  assert.equal(names(failing(queries, "abandoned")), ["bell", "salt road", "lamp"]);
  assert.equal(names(failing(queries, undefined)), names(queries));
  // The most frequent, and the worst of each kind.
  assert.equal(names(firstOfEach(queries, 1)), ["salt road", "bell", "sunken", "lamp"]);
});

test.run();
