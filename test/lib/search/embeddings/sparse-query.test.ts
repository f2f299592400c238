import * as assert from "uvu/assert";
import { sparseQuery } from "../../../../lib/search/embeddings/sparse-query.ts";
import { suite } from "../../../suite.ts";
import { smallModel } from "./fixture.ts";

const test = suite("embeddings: sparse query");

const WEIGHTS = {
  dragon: 3.5,
  "##s": 0.5,
  the: 0.25,
  v: 1,
  "##1": 1.5,
  ".": 0.125,
  "2": 1.25,
  constructor: 4,
  cafe: 2,
};

test("each distinct known token has its weight from the table", async () => {
  const model = await smallModel(WEIGHTS);
  assert.equal(sparseQuery("The DRAGONS, the dragon", model), { the: 0.25, dragon: 3.5, "##s": 0.5 });
});

test("accents and case do not matter, as the model was trained", async () => {
  assert.equal(sparseQuery("CAFÉ", await smallModel(WEIGHTS)), { cafe: 2 });
});

test("punctuation inside a word is a token of its own", async () => {
  assert.equal(sparseQuery("v1.2", await smallModel(WEIGHTS)), { v: 1, "##1": 1.5, ".": 0.125, "2": 1.25 });
});

test("unknown words are ignored", async () => {
  const model = await smallModel(WEIGHTS);
  assert.equal(sparseQuery("zyzzyva dragon", model), { dragon: 3.5 });
  assert.equal(sparseQuery("zyzzyva", model), {});
  assert.equal(sparseQuery("", model), {});
});

test("special tokens are removed, even when the text spells them", async () => {
  const model = await smallModel({ ...WEIGHTS, "[MASK]": 9, "[UNK]": 9 }, Object.keys(WEIGHTS));
  assert.equal(sparseQuery("[MASK] dragon zyzzyva [SEP]", model), { dragon: 3.5 });
});

test("a token of the vocabulary without a weight is ignored", async () => {
  assert.equal(sparseQuery("dragon egg", await smallModel({ dragon: 1 }, ["dragon", "egg"])), { dragon: 1 });
});

test("weights stay within (0, 64]", async () => {
  assert.equal(sparseQuery("a b c d", await smallModel({ a: 0, b: 1e-40, c: 100, d: -2 })), { c: 64 });
});

test("a word that names a JavaScript built-in is found only when the table has it", async () => {
  const model = await smallModel(WEIGHTS, [...Object.keys(WEIGHTS), "tostring"]);
  assert.equal(sparseQuery("constructor toString", model), { constructor: 4 });
});

test("a query has at most the 510 tokens that the model reads", async () => {
  const words = Array.from({ length: 600 }, (_, i) => `w${String.fromCharCode(97 + (i % 26))}${i}`);
  const model = await smallModel(Object.fromEntries(words.map((word) => [word, 1])));
  assert.is(Object.keys(sparseQuery(words.join(" "), model)).length, 510);
});

test("a broken surrogate pair is ignored", async () => {
  assert.equal(sparseQuery("\ud83d dragon", await smallModel(WEIGHTS)), { dragon: 3.5 });
});

test.run();
