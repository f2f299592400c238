import * as assert from "uvu/assert";
import { singleIssue } from "../../../../lib/platform/json/parameters.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/platform/json/parameters");

test("bounds of a parameter belong to what is accepted", () => {
  assert.is(singleIssue({ type: "text", max_length: 3 }, "abc"), undefined);
  assert.is(singleIssue({ type: "text", max_length: 3 }, "abcd"), "must have at most 3 characters, got 4");
  assert.is(singleIssue({ type: "number", min: 1, max: 3 }, 1), undefined);
  assert.is(singleIssue({ type: "number", min: 1, max: 3 }, 3), undefined);
  assert.type(singleIssue({ type: "number", min: 1, max: 3 }, 0.9), "string");
  assert.type(singleIssue({ type: "number", min: 1, max: 3 }, 3.1), "string");
});

test.run();
