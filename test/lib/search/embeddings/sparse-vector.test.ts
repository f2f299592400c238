import * as assert from "uvu/assert";
import { parseSparse, type SparseRules } from "../../../../lib/search/embeddings/sparse-vector.ts";
import { suite } from "../../../suite.ts";
import { brief, tokensOf } from "./fixture.ts";

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

test.run();
