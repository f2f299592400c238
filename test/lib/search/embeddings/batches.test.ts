import * as assert from "uvu/assert";
import { batches, cutCharacters, jsonLiteral, literalWithin } from "../../../../lib/search/embeddings/batches.ts";
import { suite } from "../../../suite.ts";

const test = suite("embeddings: batches");

const sizes = (texts: string[], limits: { texts: number; bytes: number }) =>
  [...batches(texts, limits, jsonLiteral)].map((batch) => batch.length);

test("a batch has at most the given number of texts", () => {
  assert.equal(sizes(new Array(7).fill("a"), { texts: 3, bytes: 1_000 }), [3, 3, 1]);
});

test("a batch has at most the given bytes, counted as sent", () => {
  // "é" is 4 bytes with its quotes, 5 with a comma.
  assert.equal(sizes(["é", "é", "é"], { texts: 9, bytes: 10 }), [2, 1]);
  assert.equal(sizes(["é", "é", "é"], { texts: 9, bytes: 9 }), [1, 1, 1]);
});

test("every text keeps its place", () => {
  const texts = ["a", "b", "c", "d", "e"];
  const places = [...batches(texts, { texts: 2, bytes: 100 }, jsonLiteral)].flat();
  assert.equal(
    places.map(({ index, json }) => [index, json]),
    texts.map((text, index) => [index, `"${text}"`]),
  );
});

test("no texts need no batch", () => assert.equal(sizes([], { texts: 3, bytes: 100 }), []));

test("half of a surrogate pair becomes U+FFFD instead of an escape that servers refuse", () => {
  assert.is(jsonLiteral("a\ud83d"), '"a\ufffd"');
  assert.is(jsonLiteral("😀"), '"😀"');
});

test("characters are cut between code points", () => {
  assert.is(cutCharacters("ab😀", 3), "ab");
  assert.is(cutCharacters("ab😀", 4), "ab😀");
  assert.is(cutCharacters("abc", 3), "abc");
});

test("a literal over the byte limit is cut to the longest beginning that fits", () => {
  assert.is(literalWithin("abcdef", 8), '"abcdef"');
  assert.is(literalWithin("abcdef", 7), '"abcde"');
  assert.is(literalWithin("é".repeat(5), 7), '"éé"');
  // Each takes 4 bytes; one that does not fit is dropped whole.
  assert.is(literalWithin("😀😀😀", 13), '"😀😀"');
  // Each is written as \u0000, in six bytes.
  assert.is(literalWithin("\0\0\0", 14), '"\\u0000\\u0000"');
});

test.run();
