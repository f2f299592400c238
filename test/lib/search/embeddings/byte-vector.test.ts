import * as assert from "uvu/assert";
import { seeded } from "../../../../lib/platform/statistics/random.ts";
import { byteVector, byteVectorJson } from "../../../../lib/search/embeddings/byte-vector.ts";
import { suite } from "../../../suite.ts";

const test = suite("byte vectors");

test("the largest component becomes 127, and nothing becomes -0", () => {
  assert.equal(byteVector([0.5, -1, 0.001]), [64, -127, 0]);
  assert.is(byteVectorJson("[-0.0001,0.2]"), "[0,127]");
  assert.equal(byteVector([0, 0]), [0, 0]);
});

test("a byte vector stays as it is, and so does what is no vector", () => {
  assert.equal(byteVector(byteVector([0.3, -0.2, 0.1])), byteVector([0.3, -0.2, 0.1]));
  for (const json of ["null", '[{"a":1}]', '"[1]"', "[[1]]"]) assert.is(byteVectorJson(json), json);
});

test("directions hardly change, though components of a unit vector are small", () => {
  const random = seeded(1);
  const vector = Array.from({ length: 1_024 }, () => random() - 0.5);
  const length = Math.hypot(...vector);
  const unit = vector.map((component) => component / length);
  const bytes = byteVector(unit);
  const cosine = unit.reduce((sum, component, at) => sum + component * (bytes[at] as number), 0) / Math.hypot(...bytes);
  assert.ok(cosine > 0.9999, String(cosine));
});

test.run();
