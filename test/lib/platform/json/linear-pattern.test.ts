import * as assert from "uvu/assert";
import { isLinearPattern } from "../../../../lib/platform/json/linear-pattern.ts";
import { suite } from "../../../suite.ts";

const test = suite("patterns that take time in proportion to the text");

for (const pattern of [
  "\\W+",
  "[\\s,;]+",
  ",",
  "\\s*",
  "a|b|cd",
  "(.+)",
  "^(.*)",
  "@(.+)",
  "(\\p{L}+)|(\\d+)",
  "[^\\p{L}\\d]+|(?<=\\D)(?=\\d)|(?<=[\\p{L}&&[^\\p{Lu}]])(?=\\p{Lu})",
  "(\\d{1,3})[.](\\d{1,3})",
  "colou?r",
  "(?:ab)?c",
  "(?<year>\\d{4})-?",
  "\\u00e9\\x41\\.\\/",
  "[a\\]b-d[e]]",
  "x*+",
  "x+?",
  "",
]) {
  test(`accepts ${pattern}`, () => assert.ok(isLinearPattern(pattern)));
}

for (const pattern of [
  "(.*a){14}b",
  "(a|b)*",
  "(a+)+",
  "(?:x){2}",
  "\\s+$",
  "a*b",
  ".*.*",
  "(a*)b",
  "(a*|b)c",
  "a(?=.*b)",
  "(?<!x+)a",
  "(a)\\1",
  "(?<n>a)\\k<n>",
  "(?i)a",
  "(?x) a b",
  "\\Q(a*)*\\E",
  "[\\Qa]\\E]",
  "[](a*)*]",
  "[^](a*)*]",
  "[a&&](a*)*]",
  "[a",
  "a**",
  "{2}",
  "+a",
  "(a",
  "a)",
  "a{2",
  "a\\",
  "\\R+",
  "\\d{1,30}\\d{1,30}",
  `${"(".repeat(30)}${")".repeat(30)}`,
  "a".repeat(1_001),
]) {
  test(`refuses ${pattern.slice(0, 40)}`, () => assert.not(isLinearPattern(pattern)));
}

test.run();
