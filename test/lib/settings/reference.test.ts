import * as assert from "uvu/assert";
import { configurationReference } from "../../../lib/settings/reference.ts";
import { suite } from "../../suite.ts";

const test = suite("configuration reference");

test("every key has a description and its allowed values", () => {
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
