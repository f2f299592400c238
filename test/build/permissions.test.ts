import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { permissionsReference } from "../../build/permissions.ts";
import { PAGES } from "../../build/reference.ts";
import { suite } from "../suite.ts";

const test = suite("docs/reference");

for (const [name, text] of Object.entries(PAGES)) {
  test(`${name}.md is up to date: run make reference`, () => {
    assert.is(readFileSync(`docs/reference/${name}.md`, "utf8"), text());
  });
}

test("permissions.md lists a function's action with its purpose and resource", () => {
  const [, training = ""] = permissionsReference().split("\n## training\n");
  assert.match(training, "| read counters | `dynamodb:BatchGetItem` | `TABLE/ingestion` |");
});

test.run();
