import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { ROOT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";

const test = suite("docs/guides/costs.md");

const [, billed = ""] =
  /(## Billed by the hour.+?)\n## Turning it off/s.exec(readFileSync(`${ROOT}/docs/guides/costs.md`, "utf8")) ?? [];
const rows = billed.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| what |"));

test("links the price of everything that is billed", () => {
  assert.ok(rows.length > 20, `${rows.length} rows`);
  assert.equal(
    rows.filter((row) => !/\]\(https:\/\/aws\.amazon\.com\/[a-z0-9/-]*pricing\//.test(row)),
    [],
  );
});

test.run();
