import * as assert from "uvu/assert";
import { seeded } from "../../../lib/platform/statistics/random.ts";
import { shownText, textKey, wordsIn, wordsOf } from "../../../lib/platform/words.ts";
import { CUTS, SCRIPTS } from "../../fixtures/scripts.ts";
import { suite } from "../../suite.ts";

const test = suite("lib/platform/words");

for (const { script, equal, different } of SCRIPTS) {
  test(`says which texts are equal: ${script}`, () => {
    for (const [one, other] of equal) assert.is(textKey(one), textKey(other), `${one} = ${other}`);
    for (const [one, other] of different) assert.is.not(textKey(one), textKey(other), `${one} ≠ ${other}`);
  });
}

test("cuts words, and says where they stand", () => {
  for (const [text, words] of CUTS) assert.equal(wordsOf(text), words, text);
  for (const text of ["a, Bc", "é, Bc", "é,\u200b B\u00adc"]) {
    assert.equal(wordsIn(text)[1], { word: "bc", start: text.indexOf("B"), end: text.length }, text);
  }
});

test("cuts texts of plain letters as any other text", () => {
  const random = seeded(7);
  const signs = [..." abZ09_'.,;:#+-\"/@&\téßЖοÏ"];
  for (let count = 0; count < 5_000; count += 1) {
    const text = Array.from({ length: 9 }, () => signs[Math.floor(random() * signs.length)]).join("");
    assert.equal(wordsOf(text), wordsOf(`${text} 책`).slice(0, -1), JSON.stringify(text));
  }
});

test("texts without words are equal if they look the same", () => {
  assert.is(textKey(" ♥\u200b "), textKey("♥"));
  assert.is.not(textKey("♥"), textKey("♣"));
});

test("shows no control and invisible characters, but joiners that letters need", () => {
  for (const [text, shown] of [
    [" a\tb \r\n c ", "a b c"],
    ["\u001b]0;x\u0007y", "]0;xy"],
    ["a\u202eb\u2066c\u200e", "abc"],
    ["so\u00adfa\u200b \ufeff a\u200db", "sofa ab"],
    ["x\ud800y", "xy"],
    ["cafe\u0301", "café"],
    ["کتاب\u200cها क्\u200dष", "کتاب\u200cها क्\u200dष"],
    ["❤\ufe0f 👩\u200d💻", "❤\ufe0f 👩\u200d💻"],
  ] as const) {
    assert.is(shownText(text), shown, JSON.stringify(text));
  }
});

test.run();
