import * as assert from "uvu/assert";
import { parseSparse, type SparseRules, sparseQuery } from "../../../../lib/search/embeddings/sparse-vector.ts";
import { suite } from "../../../suite.ts";
import { brief, smallModel, tokensOf } from "./fixture.ts";

const test = suite("embeddings: sparse vector");

const TOKENS = ["[PAD]", "[CLS]", "dragon", "v1.2", "constructor", "__proto__"];
const rules: SparseRules = { token: (id) => TOKENS[id], isSpecial: (id) => id < 2, pruneRatio: 0.1 };

const parse = (entries: unknown, ratio = 0.1) => parseSparse(entries, { ...rules, pruneRatio: ratio });
/** Entries of a model's answer for values by index. */
const given = (values: Readonly<Record<number, number>>) =>
  Object.entries(values).map(([index, value]) => ({ index: Number(index), value }));
const tokens = (values: Readonly<Record<number, number>>, ratio?: number) => tokensOf(parse(given(values), ratio));

// 0.2 after log1p is just kept; its raw value is far below a tenth of the largest raw value.
const LARGEST = Math.expm1(2);

for (const [promise, values, ratio, kept] of [
  ["log1p is applied to every value", { 2: 1, 3: 0.5 }, 0.1, { dragon: Math.log1p(1), "v1.2": Math.log1p(0.5) }],
  ["special tokens are dropped, not measured", { 0: 50, 1: 50, 2: 0.2 }, 0.1, { dragon: Math.log1p(0.2) }],
  ["the ratio is measured after log1p", { 2: LARGEST, 3: Math.expm1(0.2001) }, 0.1, { dragon: 2, "v1.2": 0.2001 }],
  ["weights below the ratio of the largest are dropped", { 2: LARGEST, 3: Math.expm1(0.1999) }, 0.1, { dragon: 2 }],
  ["a ratio of 0 keeps all but zeroes", { 2: LARGEST, 3: 1e-9, 4: 0 }, 0, { dragon: 2, "v1.2": Math.log1p(1e-9) }],
  ["no weight is above 64", { 2: 1e35 }, 0.1, { dragon: 64 }],
  ["a weight below the smallest normal float is dropped", { 2: 1e-38 }, 0.1, {}],
  ["a weight of zero is dropped", { 2: 0 }, 0.1, {}],
  ["a text without tokens has the empty vector", {}, 0.1, {}],
] as const) {
  test(promise, () => {
    const rounded = Object.entries(tokens(values, ratio)).map(([token, weight]) => [token, weight.toPrecision(12)]);
    assert.equal(
      rounded,
      Object.entries<number>(kept).map(([token, weight]) => [token, weight.toPrecision(12)]),
    );
  });
}

test("tokens that name JavaScript built-ins are kept", () => {
  const kept = tokens({ 4: 1, 5: 1 });
  assert.equal(Object.keys(kept), ["constructor", "__proto__"]);
  assert.is(Object.getPrototypeOf(kept), Object.prototype);
});

const TOO_LARGE = "model gave a token weight that no 32-bit float can hold";
const NO_WEIGHT = "model gave a token weight that is not a positive number";

for (const [what, entries, reason] of [
  ...[1e39, 1e-160].map((value) => [`a weight of ${value}`, [{ index: 2, value }], TOO_LARGE] as const),
  ...[null, -1, "1", undefined].map((value) => [`a weight of ${value}`, [{ index: 2, value }], NO_WEIGHT] as const),
  ...[6, -1, 1.5, "2", undefined].map(
    (index) =>
      [
        `token ${index} outside of the vocabulary`,
        [{ index, value: 1 }],
        `model gave token ${index}, which the vocabulary does not have: the model files are of another model`,
      ] as const,
  ),
  ["something other than a list", {}, "model gave something other than a list of tokens"],
] as const) {
  test(`${what} is an error`, () => assert.equal(brief([parse(entries)]), [reason]));
}

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

const WORDS = Object.keys(WEIGHTS);

for (const [promise, query, found, weights, words] of [
  ["each distinct known token has its weight", "The DRAGONS, the dragon", { the: 0.25, dragon: 3.5, "##s": 0.5 }],
  ["accents and case do not matter, as the model was trained", "CAFÉ", { cafe: 2 }],
  ["punctuation inside a word is a token of its own", "v1.2", { v: 1, "##1": 1.5, ".": 0.125, "2": 1.25 }],
  ["unknown words are ignored", "zyzzyva dragon", { dragon: 3.5 }],
  ["a query of unknown words is empty", "zyzzyva", {}],
  ["an empty query is empty", "", {}],
  [
    "special tokens are removed, even when the text spells them",
    ...["[MASK] dragon zyzzyva [SEP]", { dragon: 3.5 }, { ...WEIGHTS, "[MASK]": 9, "[UNK]": 9 }, WORDS],
  ],
  ["a token without a weight is ignored", "dragon egg", { dragon: 1 }, { dragon: 1 }, ["dragon", "egg"]],
  ["weights stay within (0, 64]", "a b c d", { c: 64 }, { a: 0, b: 1e-40, c: 100, d: -2 }],
  [
    "a word that names a JavaScript built-in is found only when the table has it",
    ...["constructor toString", { constructor: 4 }, WEIGHTS, [...WORDS, "tostring"]],
  ],
  ["a broken surrogate pair is ignored", "\ud83d dragon", { dragon: 3.5 }],
] as ReadonlyArray<[string, string, object, Record<string, number>?, string[]?]>) {
  test(promise, async () => assert.equal(sparseQuery(query, await smallModel(weights ?? WEIGHTS, words)), found));
}

test("a query has at most the 510 tokens that the model reads", async () => {
  const words = Array.from({ length: 600 }, (_, i) => `w${String.fromCharCode(97 + (i % 26))}${i}`);
  const model = await smallModel(Object.fromEntries(words.map((word) => [word, 1])));
  assert.is(Object.keys(sparseQuery(words.join(" "), model)).length, 510);
});

test.run();
