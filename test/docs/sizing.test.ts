import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { SIZING_FILE, sizingPage } from "../../bench/sizing.ts";
import { suite } from "../suite.ts";

const test = suite("docs/reference/sizing.md");

const results = JSON.parse(readFileSync("bench/results.json", "utf8"));

test("is up to date with bench/results.json: run make sizing", () => {
  assert.is(readFileSync(SIZING_FILE, "utf8"), sizingPage(results));
});

test("derives the processor time from the events per second", () => {
  const faster = structuredClone(results);
  for (const row of faster.etl.rows) {
    row.reached = row.reached.replace(/^[\d,]+$/, "1,000,000");
  }
  const page = sizingPage(faster);
  assert.match(page, "| events per second on one core, all steps | 1,000,000 | measured |");
  assert.match(page, "| processor time | 17 minutes of one core |");
});

test("names a figure that was never measured", () => {
  assert.throws(() => sizingPage({ ...results, bulk: { rows: [] } }), /no dense_and_sparse_document_ms/);
});

test.run();
