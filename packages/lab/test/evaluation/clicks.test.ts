import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seeded } from "@relevance/lib/platform/statistics/random.ts";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { storedEvent, storedSearch } from "../../../../test/fixtures/stored-lines.ts";
import { suite } from "../../../../test/suite.ts";
import { shownAndClicked } from "../../clicks/coec.ts";
import { byClicks, clickedBy, clickVerdicts, PAIRS, rankingsOf, trueQueries } from "./simulated-clicks.ts";

const test = suite("verdicts on judgments from clicks");

/** The share of verdicts that may be wrong where there is no difference: that of the intervals. */
const ALPHA = 0.05;
test("agree with the true judgments or are declined, at three strengths of position bias", () => {
  for (const bias of [0.5, 1, 2]) {
    const { all, clear, wrong, wrongUsual, wrongCondensed } = clickVerdicts(bias, 2);
    assert.ok(wrong <= ALPHA * all, `${wrong} of ${all} are wrong`);
    // The simulation has what the verdict is for: either way of counting alone is wrong, and something is found.
    assert.ok(Math.min(wrongUsual, wrongCondensed) > 2 * ALPHA * all, `${wrongUsual} and ${wrongCondensed} of ${all}`);
    assert.ok(clear > all / 4, `${clear} of ${all} are clear`);
  }
});

test("do not change when a robot clicks everything that was shown", async () => {
  const folder = scratchFolder(TEST_OUTPUT, "click-verdicts");
  const scratch = join(folder, "scratch");
  mkdirSync(scratch);
  const random = seeded(5);
  const queries = trueQueries(20, random);
  const [pair] = PAIRS;
  assert.ok(pair);
  const rankings = rankingsOf(queries, pair, random);
  const pages = queries.map((_, query) => rankings[0]?.[query]?.slice(0, 10) ?? []);
  const searches: string[] = [];
  const events: string[] = [];
  const record = (clientId: string, query: (typeof queries)[number], index: number, clicks: readonly string[]) => {
    const queryId = `${clientId}-${query.id}-${index}`;
    const hitIds = pages[queries.indexOf(query)] ?? [];
    searches.push(storedSearch({ queryId, clientId, userQuery: query.id, hitIds }));
    events.push(...clicks.map((document) => storedEvent(queryId, document)));
  };
  for (const [number, query] of queries.entries()) {
    for (let index = 0; index < 40; index += 1) {
      record(`person${index}`, query, index, clickedBy(query, pages[number] ?? [], 1, random));
    }
  }
  const judged = async (name: string) => {
    const files = { searches: join(folder, `${name}-searches`), events: join(folder, `${name}-events`) };
    writeFileSync(files.searches, searches.join(""));
    writeFileSync(files.events, events.join(""));
    const log = { searches: [files.searches], events: [files.events], scratch };
    const period = { from: new Date("2026-11-01T00:00:00Z"), until: new Date("2026-11-30T00:00:00Z") };
    return byClicks(queries, rankings, (await shownAndClicked(log, period)).shown);
  };
  const before = await judged("people");
  for (const [number, query] of queries.entries()) record("robot", query, 0, pages[number] ?? []);
  assert.equal((await judged("robot")).settings, before.settings);
});

test.run();
