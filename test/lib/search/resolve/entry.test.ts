import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { entryOf, findMapping } from "../../../../lib/search/resolve/entry.ts";
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

for (const [what, index, asked, expected] of [
  ["its own name", { name: "books-1", aliases: ["music"] }, ["books-1"], "books-*"],
  [
    "an exact entry of the asked alias before its own name",
    { name: "books-1", aliases: ["music"] },
    ["music"],
    "music",
  ],
  ["the asked alias among others", { name: "books-1", aliases: ["music"] }, ["x", "music", "-y"], "music"],
  [
    "its own name before a prefix that fits the asked alias",
    { name: "music", aliases: ["books-live"] },
    ["books-live"],
    "music",
  ],
  [
    "its description before a prefix that fits the asked alias",
    { name: "catalog_v1", aliases: ["books-live"], describedEntry: "music" },
    ["books-live"],
    "music",
  ],
  [
    "a prefix that fits the asked alias",
    { name: "catalog_v1", aliases: ["books-live", "music"] },
    ["books-live"],
    "books-*",
  ],
  [
    "a prefix that fits an alias that was not asked for",
    { name: "catalog_v1", aliases: ["books-live"] },
    ["cat*"],
    "books-*",
  ],
  ["none if its aliases fit two", { name: "catalog_v1", aliases: ["books-live", "music"] }, ["catalog_v1"], undefined],
  ["none for a name of another index", { name: "catalog_v1", aliases: [] }, ["catalog_v1", "music"], undefined],
] as const) {
  test(`an index has the entry of ${what}`, () => {
    assert.is(entryOf(entries, index, asked)?.index, expected);
    assert.is(entryOf(entries.toReversed(), index, asked.toReversed())?.index, expected);
  });
}

test("its module imports nothing, since it is part of the gateway's bundle", () => {
  assert.not.match(readFileSync("lib/search/resolve/entry.ts", "utf8"), /^import/m);
});

test.run();
