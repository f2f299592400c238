import * as assert from "uvu/assert";
import { seeded } from "../../../../lib/platform/statistics/random.ts";
import { hashOf, passagesOf, type Splitting } from "../../../../lib/search/embeddings/passages.ts";
import { suite } from "../../../suite.ts";

const test = suite("passages of a text");

const SPLIT: Splitting = { tokens: 40, overlap: 8, max_passages: 100, byCharacters: false };

const next = seeded(1);
const word = () =>
  Array.from({ length: 2 + Math.floor(next() * 4) }, () => "abcdefghij"[Math.floor(next() * 10)]).join("");
const sentence = () => `${Array.from({ length: 4 + Math.floor(next() * 6) }, word).join(" ")}.`;
const LONG = Array.from({ length: 80 }, sentence).join(" ");

test("cover the whole text in order, none over the limit, each with a part of the one before", () => {
  const passages = passagesOf(LONG, SPLIT);
  assert.ok(passages.length > 10);
  assert.is(passages[0]?.start, 0);
  assert.is(passages.at(-1)?.end, LONG.length);
  for (const [at, { text, start, end }] of passages.entries()) {
    assert.is(LONG.slice(start, end), text);
    assert.is(text.trim(), text);
    assert.ok((text.match(/\w+|\./g) ?? []).length <= 40, text);
    const before = passages[at - 1];
    if (before) assert.ok(start < before.end && start > before.start, "overlap");
    if (at < passages.length - 1) assert.match(text, /\.$/, "ends with a sentence");
  }
});

test("are soon the same again behind an insertion", () => {
  const before = new Set(passagesOf(LONG, SPLIT).map(({ text }) => text));
  const changed = passagesOf(`${LONG.slice(0, 300)} three more words ${LONG.slice(300)}`, SPLIT);
  const fresh = changed.filter(({ text }) => !before.has(text));
  assert.ok(fresh.length <= changed.length / 2, `${fresh.length} of ${changed.length}`);
});

for (const [name, text, expected] of [
  ["a short text is one", "  one text \n", [[2, 10]]],
  ["a text without spaces is cut", "a".repeat(1_000), undefined],
  ["a text of Chinese is cut by characters", "海".repeat(100), undefined],
  ["signs outside the basic plane stay whole", "😀 ".repeat(100), undefined],
] as const) {
  test(name, () => {
    const passages = passagesOf(text, SPLIT);
    if (expected) {
      assert.equal(
        passages.map(({ start, end }) => [start, end]),
        expected,
      );
      return;
    }
    assert.ok(passages.length > 1);
    assert.is(passages.at(-1)?.end, text.trimEnd().length);
    for (const passage of passages) assert.is(passage.text.isWellFormed(), true);
  });
}

test("are no more than asked for", () => {
  assert.is(passagesOf(LONG, { ...SPLIT, max_passages: 3 }).length, 3);
});

test("of a model on Bedrock have four characters a token", () => {
  const passages = passagesOf(LONG, { ...SPLIT, byCharacters: true });
  for (const { text } of passages) assert.ok(text.length <= 161, String(text.length));
  assert.ok(passages.some(({ text }) => text.length > 106));
});

test("have another hash for another model", () => {
  assert.is.not(hashOf({ text: "a" }, "1"), hashOf({ text: "a" }, "2"));
  assert.is(hashOf({ text: "a" }, "1").length, 16);
});

test.run();
