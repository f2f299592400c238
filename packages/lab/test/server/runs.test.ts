import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import type { Fusion } from "../../evaluation/scores.ts";
import { SettingsFile } from "../../evaluation/settings-file.ts";
import { judgmentFiles } from "../../server/judgment-files.ts";
import { createRuns } from "../../server/runs.ts";
import { tunedBefore } from "../../server/tuned-before.ts";

const test = suite("stored runs of the console");

const folder = join(scratchFolder(TEST_OUTPUT, "stored-runs"), "runs");
const runs = createRuns({
  ...{ folder, conf: "conf", gateway: { url: "http://127.0.0.1:1", key: "" } },
  judgments: judgmentFiles(join(folder, "../judgments"), "ada"),
});

const mean = { mean: 0.5, low: 0.4, high: 0.6 };
const result = { queries: ["salt"], settings: [{ name: "hybrid", scores: { "ndcg@10": { mean } } }] };
const idOf = (day: number) => `2026-11-0${day}T10-00-00-000Z-evaluate`;

/** Stores an evaluation of a day, with this result. */
function store(day: number, found: unknown): void {
  const run = { id: idOf(day), kind: "evaluate", when: `2026-11-0${day}`, judgments: "mine", index: "books" };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${idOf(day)}.json`), JSON.stringify({ ...run, result: found }));
}

test("shows the evaluations of an index over time, without files that do not fit, and reads each once", async () => {
  store(1, result);
  store(2, { queries: 3 });
  store(3, { ...result, queries: ["salt", "storm"] });
  writeFileSync(join(folder, `${idOf(4)}.json`), '{"id":"half');
  writeFileSync(join(folder, "notes.json"), "{}");
  const over = async () => (await runs.overTime("books", "mine")).map(({ id, queries }) => [id, queries]);
  const expected = [
    [idOf(1), 1],
    [idOf(3), 2],
  ];
  assert.equal(await over(), expected);
  assert.equal((await runs.overTime("books", "mine"))[0]?.settings, [{ name: "hybrid", means: { "ndcg@10": mean } }]);
  assert.equal(await runs.overTime("films", "mine"), []);
  store(3, result);
  assert.equal(await over(), expected);
});

test("warns of settings that a tuning chose on the same judgments, typed or become the index's defaults", () => {
  const tuned = { weights: [0.2, 0.8], normalization: "l2", combination: "arithmetic_mean" };
  const settings = [
    { name: "default" },
    { name: "typed", settings: tuned },
    { name: "other", settings: { ...tuned, weights: [0.3, 0.7] } },
    { name: "dense", template: {} },
    { name: "keyword", search_request: {} },
  ];
  const file = v.parse(SettingsFile, { index: "books", template: {}, settings });
  const evaluated = (defaults: Fusion) => [
    { name: "default", fusedBy: defaults },
    { name: "typed", fusedBy: tuned },
    { name: "other", fusedBy: { ...tuned, weights: [0.3, 0.7] } },
    { name: "dense", fusedBy: { ...defaults } },
    { name: "keyword" },
  ];
  const best = { ...tuned, candidates: 50, k: null };
  const named = (defaults: Fusion, means = { current: 0.5, tuned: 0.6 }) =>
    tunedBefore(file, evaluated(defaults), [{ best, ...means }, { queries: 3 }]);
  const said = (name: string) =>
    `${name} has the settings that a tuning chose on these judgments, so it looks better than it is: believe the gain ` +
    "that the tuning found on unseen queries, or judge other queries";
  assert.equal(named({ ...tuned, weights: null }), [said("typed")]);
  assert.equal(named(tuned), [said("default"), said("typed")]);
  assert.equal(named(tuned, { current: 0.6, tuned: 0.6 }), [], "a tuning that kept the current settings");
});

test.run();
