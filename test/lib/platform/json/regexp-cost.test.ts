import * as assert from "uvu/assert";
import { holdsCostlyRegexp, isCostlyRegexp } from "../../../../lib/platform/json/regexp-cost.ts";
import { suite } from "../../../suite.ts";

const test = suite("the cost of a regular expression");

for (const expression of [
  "(((a*)*)*)*{100}{100}",
  "a*{100}{100}",
  "(a*){10000}",
  "(a?){5000}",
  "(a|){1001}",
  "(a&){1001}",
  "(|a){1001}",
  "()*{10000}",
  "(~a){2000}",
  "~(ab){2000}",
  "@{2000}",
  "(a*b*){600}",
  "(a{0,100}){0,100}",
  "a{1000}{1000}",
  "a{1000}{1000}{1000}",
  "a{2147483647}",
  `${"(".repeat(22)}a${"+)".repeat(22)}`,
  `(${"a".repeat(200)}){100}`,
  '("abcdefghij"){1000}',
]) {
  test(`${expression.slice(0, 40)} is too much`, () => assert.ok(isCostlyRegexp(expression)));
}

for (const expression of [
  "",
  "a*",
  ".*salt.*",
  "[0-9]{1,64}",
  "a{10000}",
  "(a*){1000}",
  "(a|b|c*){300}",
  "(\\w+\\s+)+",
  "\\(a*\\){5000}",
  "[a*]{5000}",
  '"a*"{1000}',
  "<1-100>{1000}",
  "a*b{5000}",
  "(a*b){3000}",
  "){{{",
  "((((",
  "\\",
  "a{,5}",
  "s@lt road",
]) {
  test(`${JSON.stringify(expression)} is not`, () => assert.not(isCostlyRegexp(expression)));
}

test("a query string is searched for expressions between slashes", () => {
  assert.ok(holdsCostlyRegexp("a AND text:/b*{100}{100}/ OR c"));
  assert.ok(holdsCostlyRegexp("/a/ /(b?){5000}/"));
  assert.ok(holdsCostlyRegexp('"1/2" /b*{100}{100}/'));
  assert.ok(holdsCostlyRegexp("1\\/2 /b*{100}{100}/"));
  assert.not(holdsCostlyRegexp("b*{100}{100}"));
  assert.not(holdsCostlyRegexp("/a/b*{100}{100}"));
  assert.not(holdsCostlyRegexp("/".repeat(100_000)));
});

test("long expressions take linear time", () => {
  for (const text of ["[", "<", '"', "(", "a{", "\\", "~", "|", "{"]) {
    assert.not(isCostlyRegexp(text.repeat(9_000)), text);
    isCostlyRegexp(text.repeat(200_000));
  }
});

test.run();
