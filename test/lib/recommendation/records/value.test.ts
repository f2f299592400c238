import * as assert from "uvu/assert";
import { readValue } from "../../../../lib/recommendation/records/value.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/recommendation/records/value");

test("a missing value, null and empty text are no value, whatever the type of the column", () => {
  for (const type of ["string", "float", "int", "long"] as const) {
    for (const value of [undefined, null, ""]) assert.is(readValue(type, value, 10), undefined, `${type} ${value}`);
  }
});

test.run();
