import * as assert from "uvu/assert";
import { endOfValue, INVALID, skipSpace } from "../../../../lib/platform/json/scan.ts";
import { parseJson } from "../../../../lib/platform/json/values.ts";
import { suite } from "../../../suite.ts";
import { randomJson } from "./random-json.ts";

const test = suite("reading JSON without parsing it");

/** Returns whether the scanner accepts a text as one JSON value. */
function accepts(text: string, depth = 400): boolean {
  const bytes = Buffer.from(text);
  const end = endOfValue(bytes, skipSpace(bytes, 0), depth);
  return end !== INVALID && skipSpace(bytes, end) === bytes.length;
}

test("accepts exactly what JSON.parse accepts, in random texts and in damaged ones", () => {
  const damage = [
    "",
    '"',
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "0",
    "-",
    ".",
    "e",
    "+",
    "u",
    "t",
    "\n",
    "\u0001",
    "é",
    " ",
  ];
  for (let seed = 0; seed < 3_000; seed += 1) {
    const text = randomJson(seed).value();
    assert.ok(accepts(text), text);
    const at = seed % (text.length + 1);
    for (const [index, put] of damage.entries()) {
      const damaged = text.slice(0, at) + put + text.slice(at + ((index + seed) % 3));
      assert.is(accepts(damaged), parseJson(damaged) !== undefined, damaged);
    }
  }
});

test("accepts the numbers, words and escapes of JSON and no others", () => {
  const parts = [
    "0",
    "-0",
    "01",
    "1.",
    ".5",
    "1.5",
    "-",
    "+1",
    "1e5",
    "1E+5",
    "1e-",
    "1e",
    "-1.0e-07",
    "0x1",
    "NaN",
    "Infinity",
  ];
  const words = ["true", "false", "null", "tru", "nulll", "True", ""];
  const strings = [
    '"\\u00e9"',
    '"\\u00g9"',
    '"\\u00e"',
    '"\\x"',
    '"\\""',
    '"\\\\"',
    '"\\',
    '"\t"',
    '"\u007f"',
    '"\ud83d\ude00"',
    "'a'",
  ];
  for (const text of [...parts, ...words, ...strings]) {
    assert.is(accepts(text), parseJson(text) !== undefined, text);
    assert.is(accepts(`[${text}]`), parseJson(`[${text}]`) !== undefined, text);
    assert.is(accepts(`{"a":${text}}`), parseJson(`{"a":${text}}`) !== undefined, text);
  }
});

test("accepts nesting up to the given depth", () => {
  assert.ok(accepts(`${"[".repeat(400)}${"]".repeat(400)}`));
  assert.not.ok(accepts(`${"[".repeat(401)}${"]".repeat(401)}`));
  assert.not.ok(accepts('{"a":{}}', 1));
});

test.run();
