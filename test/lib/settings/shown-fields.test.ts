import * as assert from "uvu/assert";
import { showsField } from "../../../lib/settings/shown-fields.ts";
import { suite } from "../../suite.ts";

const test = suite("lib/settings/shown-fields");

for (const [native, isShown] of [
  [{}, true],
  [{ _source: true }, true],
  [{ _source: false }, false],
  [{ _source: "a" }, true],
  [{ _source: ["b", "a.b"] }, true],
  [{ _source: ["a.b.c", "xa.b", "a.bb"] }, false],
  [{ _source: ["*.b"] }, true],
  [{ _source: { excludes: ["a"] } }, false],
  [{ _source: { includes: ["a.*"], excludes: ["a.c"] } }, true],
  [{ _source: { includes: ["c"] } }, false],
  [{ _source: false, fields: ["c", { field: "a.*" }] }, true],
  [{ _source: false, docvalue_fields: ["a.b"] }, true],
] as const) {
  test(`${JSON.stringify(native)} ${isShown ? "shows" : "hides"} a.b`, () =>
    assert.is(showsField(native, "a.b"), isShown));
}

test.run();
