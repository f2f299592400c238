import * as assert from "uvu/assert";
import * as v from "valibot";
import { IndexName } from "../../../lib/search/bulk/request.ts";
import { IndexPattern } from "../../../lib/settings/names.ts";
import { Variety, VarietySection } from "../../../lib/settings/stage-values.ts";
import { suite } from "../../suite.ts";

const test = suite("values that files and requests share");

const groups = (field: string) => ({ groups: { field, max: 1 } });
const similarity = (field: string, weight?: number) => ({
  similarity: { field, ...(weight !== undefined && { weight }) },
});

const VARIETIES = [
  ...[{}, groups("brand"), similarity("brand"), similarity("brand", 0.5), similarity("brand", 2)],
  ...["_id", " ", "a..b", "title*", "a,b", "a".repeat(255), "a".repeat(281)].flatMap((field) => [
    groups(field),
    similarity(field),
  ]),
];

test("an entry of the configuration and a request take the same variety", () => {
  for (const variety of VARIETIES) {
    assert.is(v.is(VarietySection, variety), v.is(Variety, variety), JSON.stringify(variety).slice(0, 100));
  }
  assert.ok(v.is(Variety, similarity("brand")));
  assert.not(VARIETIES.slice(-2).some((variety) => v.is(Variety, variety)));
});

test("bulk takes every index that an entry can name", () => {
  const entry = IndexPattern("An index.");
  for (const name of ["books", "é".repeat(127), "é".repeat(200), "a\u0000b", "a b", "+a", "a".repeat(256)]) {
    if (v.is(entry, name)) assert.ok(v.is(IndexName, name), name.slice(0, 20));
  }
  assert.equal(
    ["é".repeat(127), "books-*"].map((name) => v.is(entry, name)),
    [true, true],
  );
  assert.equal(
    ["é".repeat(200), "a\u0000b"].map((name) => v.is(entry, name)),
    [false, false],
  );
});

test.run();
