import * as assert from "uvu/assert";
import { parseSparse, type SparseRules, sparseQuery } from "../../../../lib/search/embeddings/sparse-vector.ts";
import { suite } from "../../../suite.ts";
import { brief, smallModel, tokensOf } from "./fixture.ts";

const test = suite("embeddings: sparse vector");

const TOKENS = ["[PAD]", "[CLS]", "dragon", "v1.2", "constructor", "__proto__"];
const rules: SparseRules = { token: (id) => TOKENS[id], isSpecial: (id) => id < 2, pruneRatio: 0.1 };

const parse = (entries: unknown, ratio = 0.1) => parseSparse(entries, { ...rules, pruneRatio: ratio });
const tokens = (entries: unknown, ratio?: number) => tokensOf(parse(entries, ratio));

test("log1p is applied to every value", () => {
  assert.equal(
    tokens([
      { index: 2, value: 1 },
      { index: 3, value: 0.5 },
    ]),
    {
      dragon: Math.log1p(1),
      "v1.2": Math.log1p(0.5),
    },
  );
});

test("special tokens are dropped and do not affect pruning", () => {
  assert.equal(
    tokens([
      { index: 0, value: 50 },
      { index: 1, value: 50 },
      { index: 2, value: 0.2 },
    ]),
    {
      dragon: Math.log1p(0.2),
    },
  );
});

test("weights below the ratio of the largest are dropped, measured after log1p", () => {
  const largest = Math.expm1(2);
  // 0.2 after log1p is just kept; its raw value is far below a tenth of the largest raw value.
  const kept = tokens([
    { index: 2, value: largest },
    { index: 3, value: Math.expm1(0.2001) },
  ]);
  assert.equal(Object.keys(kept), ["dragon", "v1.2"]);
  assert.equal(
    Object.keys(
      tokens([
        { index: 2, value: largest },
        { index: 3, value: Math.expm1(0.1999) },
      ]),
    ),
    ["dragon"],
  );
});

test("a ratio of 0 keeps all but zeroes", () => {
  const kept = tokens(
    [
      { index: 2, value: 5 },
      { index: 3, value: 1e-9 },
      { index: 4, value: 0 },
    ],
    0,
  );
  assert.equal(Object.keys(kept), ["dragon", "v1.2"]);
});

test("no weight is above 64", () => {
  assert.equal(tokens([{ index: 2, value: 1e35 }]), { dragon: 64 });
});

test("a weight below the smallest normal float is dropped", () => {
  assert.equal(tokens([{ index: 2, value: 1e-38 }]), {});
  assert.equal(tokens([{ index: 2, value: 0 }]), {});
});

test("tokens that name JavaScript built-ins are kept", () => {
  const kept = tokens([
    { index: 4, value: 1 },
    { index: 5, value: 1 },
  ]);
  assert.equal(Object.keys(kept), ["constructor", "__proto__"]);
  assert.is(Object.getPrototypeOf(kept), Object.prototype);
});

for (const value of [1e39, 1e-160]) {
  test(`a weight of ${value}, which no 32-bit float can hold, is an error`, () => {
    assert.equal(brief([parse([{ index: 2, value }])]), ["model gave a token weight that no 32-bit float can hold"]);
  });
}

for (const value of [null, -1, "1", undefined]) {
  test(`a weight of ${value} is an error`, () => {
    assert.equal(brief([parse([{ index: 2, value }])]), ["model gave a token weight that is not a positive number"]);
  });
}

for (const index of [6, -1, 1.5, "2", undefined]) {
  test(`token ${index} outside of the vocabulary is an error`, () => {
    assert.equal(brief([parse([{ index, value: 1 }])]), [
      `model gave token ${index}, which the vocabulary does not have: the model files are of another model`,
    ]);
  });
}

test("something other than a list is an error", () => {
  assert.equal(brief([parse({})]), ["model gave something other than a list of tokens"]);
});

test("a text without tokens has the empty vector", () => assert.equal(tokens([]), {}));

// Queries

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
