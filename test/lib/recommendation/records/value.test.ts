import * as assert from "uvu/assert";
import { readText, readValue } from "../../../../lib/recommendation/records/value.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/recommendation/records/value");

test("a missing value, null and empty text are no value, whatever the type of the column", () => {
  for (const type of ["string", "float", "int", "long"] as const) {
    for (const value of [undefined, null, ""]) assert.is(readValue(type, value, 10), undefined, `${type} ${value}`);
  }
});

test("a list of texts is read as one, unless a text is empty or holds the mark between them", () => {
  assert.equal(readText(["a", "b"], 10), { value: "a|b" });
  for (const list of [["a", ""], [""], ["a", "b|c"], ["a", null]]) {
    const read = readText(list, 10);
    assert.match(read && "issue" in read ? read.issue : "", "a list of texts that are not empty", JSON.stringify(list));
  }
});

test.run();
