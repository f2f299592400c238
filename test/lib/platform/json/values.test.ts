import * as assert from "uvu/assert";
import { containsJson, parseExact, sameJson } from "../../../../lib/platform/json/values.ts";
import { suite } from "../../../suite.ts";

const test = suite("json values");
const same = (a: string, b: string) => sameJson(parseExact(a), parseExact(b));
const contains = (whole: string, part: string) => containsJson(parseExact(whole), parseExact(part));

test("order of members, spacing and escapes do not matter", () => {
  assert.ok(same('{"a":1,"b":[true,null]}', '{ "b": [true, null], "\\u0061": 1 }'));
});

test("integers that round to the same float are different", () => {
  assert.not(same("9007199254740993", "9007199254740992"));
  assert.ok(same("[9007199254740993]", "[9007199254740993]"));
});

test("fractions are compared with the cluster's precision for vectors, integers exactly", () => {
  assert.ok(same("[0.1234567891]", "[0.12345679]"));
  assert.not(same("[0.1234567891]", "[0.1234578]"));
  assert.not(same("16777217", "16777216"));
});

test("missing, additional and different values are differences", () => {
  assert.not(same('{"a":1}', "{}"));
  assert.not(same('{"a":1}', '{"b":1}'));
  assert.not(same("[1,2]", "[1]"));
  assert.not(same('"1"', "1"));
  assert.not(same("{}", "[]"));
  assert.not(same("null", "{}"));
});

test("a part is contained when merging it changes nothing: objects merge, lists replace", () => {
  assert.ok(contains('{"a":{"b":1,"c":2},"d":3}', '{"a":{"b":1}}'));
  assert.not(contains('{"a":{"b":1}}', '{"a":{"b":2}}'));
  assert.not(contains('{"a":[1,2]}', '{"a":[1]}'));
  assert.not(contains('{"a":1}', '{"e":null}'));
  assert.ok(contains('{"a":1}', "{}"));
});

test.run();
