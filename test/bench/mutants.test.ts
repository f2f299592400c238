import { existsSync } from "node:fs";
import * as assert from "uvu/assert";
import { integrationTests, nearestTests } from "../../bench/mutants/nearest.ts";
import { survivorsTable } from "../../bench/mutants/sample.ts";
import { suite } from "../suite.ts";

const test = suite("mutants");

test("the nearest tests of a file are those that import it, its own first, and no test that needs a server", () => {
  const tests = nearestTests(["lib/search/access/limits.ts"]).get("lib/search/access/limits.ts") ?? [];
  assert.is(tests[0], "test/lib/search/access/rights.test.ts");
  assert.ok(tests.length > 3 && tests.every((file) => !file.startsWith("test/integration/")));
});

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

test("the table of survivors shows each change on one line, and why no test notices it", () => {
  const survivor = { file: "a.ts", line: 3, kind: "k", original: "a |\n b", replacement: "`x`", why: "" };
  const sample = { seed: 1, all: 2, reached: 2, played: 2, survivedAtFirst: 1, survivors: [survivor] };
  assert.match(survivorsTable(sample), "| a.ts:3 | `a \\| b` | `'x'` | not looked at |");
  assert.is(survivorsTable({ ...sample, survivors: [] }), "No mutant survives.");
});

test.run();
