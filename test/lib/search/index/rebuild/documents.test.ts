import * as assert from "uvu/assert";
import { copyVersion } from "../../../../../lib/search/index/rebuild/documents.ts";
import { suite } from "../../../../suite.ts";

const test = suite("versions of copies");

test("are exact where a JavaScript number would be rounded", () => {
  assert.is(copyVersion(1, 8_192), 9_007_199_254_740_993n);
});

test("of a later primary term are higher than those of an earlier one, whatever the sequence numbers", () => {
  assert.ok(copyVersion(0, 2) > copyVersion(2 ** 40 - 1, 1));
});

test("stay below 2^63", () => {
  assert.is(copyVersion(0, 2 ** 23 - 1), (2n ** 23n - 1n) * 2n ** 40n);
  assert.throws(() => copyVersion(0, 2 ** 23), /no version below 2\^63/);
  assert.throws(() => copyVersion(2 ** 40, 1), /no version below 2\^63/);
});

test.run();
