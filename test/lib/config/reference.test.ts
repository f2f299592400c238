import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { CONFIGURATION_FILE } from "../../../build/reference.ts";
import { configurationReference } from "../../../lib/config/reference.ts";
import { suite } from "../../suite.ts";
import { changed, fullExample, problemsOf } from "./example.ts";

const test = suite("configuration reference");

test("docs/reference/configuration.md is up to date with the schemas; `make reference` writes it", () => {
  assert.is(readFileSync(CONFIGURATION_FILE, "utf8"), configurationReference(), "the file is stale");
});

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

test("a key that moved is reported with its new place, and the reference does not list it", () => {
  for (const value of ["recommended", ["GET /_cat/indices"]]) {
    const [{ path, message } = { path: "", message: "" }, ...others] = problemsOf(
      changed(fullExample(), "api.yaml", ["raw_backend", "allow"], value),
    );
    assert.equal([path, others], ["raw_backend.allow", []]);
    assert.match(message, /^is now `raw_backend` of each key: write it under the entries of keys/);
  }
  assert.not.match(configurationReference(), "raw_backend.allow");
});

test.run();
