import { existsSync } from "node:fs";
import * as assert from "uvu/assert";
import { integrationTests } from "../../bench/mutants/nearest.ts";
import { suite } from "../suite.ts";

const test = suite("mutants");

test("the integration tests of a folder exist", () => {
  for (const file of [
    "search/index/import/run",
    "search/index/rebuild/run",
    "search/bulk/run",
    "search/raw/deny",
    "search/run/reply",
    "recommendation/training/state",
    "recommendation/clients/record-store",
    "recommendation/ingest/uploads",
    "recommendation/api/recommend",
  ]) {
    const tests = integrationTests(`lib/${file}.ts`);
    assert.ok(tests.length > 0 && tests.every((path) => existsSync(path)), file);
  }
  assert.equal(integrationTests("lib/platform/json/values.ts"), []);
});

test.run();
