import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { permissionsReference } from "../../build/permissions.ts";
import { PERMISSIONS_FILE } from "../../build/reference.ts";
import { suite } from "../suite.ts";

const test = suite("docs/reference/permissions.md");

test("is up to date: run make reference", () => {
  assert.is(readFileSync(PERMISSIONS_FILE, "utf8"), permissionsReference());
});

test("lists a function's action with its purpose and resource", () => {
  const [, training = ""] = permissionsReference().split("\n## training\n");
  assert.match(training, "| read counters | `dynamodb:BatchGetItem` | `TABLE/ingestion` |");
});

test.run();
