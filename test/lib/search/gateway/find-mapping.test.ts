import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { findMapping } from "../../../../lib/search/gateway/find-mapping.ts";
import { suite } from "../../../suite.ts";

const test = suite("mapping of an index");

const entries = ["books*", "books-new", "books-*", "music"].map((index) => ({ index }));

for (const [index, expected] of [
  ["books-new", "books-new"],
  ["books-old", "books-*"],
  ["books", "books*"],
  ["music", "music"],
  ["music-2", undefined],
  ["book", undefined],
] as const) {
  test(`${index} has ${expected ?? "none"}`, () => {
    assert.is(findMapping(entries, index)?.index, expected);
  });
}

test("the order of the entries does not matter", () => {
  assert.is(findMapping(entries.toReversed(), "books-old")?.index, "books-*");
  assert.is(findMapping(entries.toReversed(), "books-new")?.index, "books-new");
});

test("its module imports nothing, since it is part of the gateway's bundle", () => {
  assert.not.match(readFileSync("lib/search/gateway/find-mapping.ts", "utf8"), /^import/m);
});

test.run();
