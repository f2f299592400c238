import { readFileSync, writeFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { configurationReference } from "../../../lib/config/reference.ts";
import { suite } from "../../suite.ts";

const test = suite("configuration reference");

const FILE = "docs/reference/configuration.md";
const WRITE = "node_modules/.bin/node test/lib/config/reference.test.ts --write";

if (process.argv.includes("--write")) writeFileSync(FILE, configurationReference());

test("docs/reference/configuration.md is what the schemas say", () => {
  assert.is(readFileSync(FILE, "utf8"), configurationReference(), `stale: run ${WRITE}`);
});

test("no key is without a description or without what it may be", () => {
  const rows = configurationReference()
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  assert.ok(rows.length > 100);
  for (const line of rows) {
    const [, , allowed, , description] = line.split(/(?<!\\)\|/);
    assert.ok(allowed?.trim(), `no allowed value: ${line}`);
    assert.ok(description?.trim(), `no description: ${line}`);
  }
});

test.run();
