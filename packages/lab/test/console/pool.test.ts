import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { pooled } from "../../console/judge/pool.ts";
import { diffOf } from "../../console/measure/diff.ts";

const test = suite("pools to judge, and changes to write");

test("pools every document once, in a repeatable order that does not reveal ranks", () => {
  const ranking = Array.from({ length: 200 }, (_, rank) => `d${rank}`);
  const pool = pooled("salt", [ranking, [...ranking].reverse(), ["other"]]);
  assert.is(pool.length, 201);
  assert.is(new Set(pool).size, 201);
  assert.equal(pooled("salt", [[...ranking].reverse(), ["other"], ranking]), pool);
  assert.not.equal(pooled("storm", [ranking, ["other"]]), pool);
  // The first half of the pool should contain about half of the best 100; four standard deviations are 14.
  const best = pool.slice(0, 100).filter((id) => id !== "other" && Number(id.slice(1)) < 100).length;
  assert.ok(Math.abs(best - 50) < 15, String(best));
});

test("shows the changed lines with three lines around them", () => {
  const before = "a\nb\nc\nd\ne\nf\ng\n";
  assert.equal(diffOf(before, before), []);
  const lines = diffOf(before, before.replace("e\n", "E\nnew\n"));
  assert.equal(
    lines.map(({ kind, text }) => `${kind} ${text}`),
    ["same b", "same c", "same d", "removed e", "added E", "added new", "same f", "same g", "same "],
  );
});

test.run();
