import * as assert from "uvu/assert";
import { type Row, withOtherSizes } from "../../bench/result.ts";
import { suite } from "../suite.ts";

const test = suite("benchmark results");

const row = (what: string, reached: string, size?: number): Row => ({
  ...{ what, reached, budget: "none", kept: undefined, note: "" },
  ...(size !== undefined && { size }),
});

test("replaces the rows of a run's size and those without a size, and keeps other sizes in order", () => {
  const earlier = [row("speed", "1", 10), row("speed", "2", 1_000), row("start", "3"), row("gone", "4")];
  const rows = [row("speed", "5", 100), row("start", "6")];
  const all = withOtherSizes(rows, earlier);
  assert.equal(
    all.map(({ reached }) => reached),
    ["1", "5", "2", "6"],
  );
  assert.equal(
    withOtherSizes([row("speed", "7", 1_000), row("start", "8")], all).map(({ reached }) => reached),
    ["1", "5", "7", "8"],
  );
});

test("replaces the rows of what a run measured, and keeps those of other kinds", () => {
  const kind = (name: string, reached: string) => ({ ...row(name, reached), kind: name });
  assert.equal(
    withOtherSizes([kind("byte", "3")], [kind("float", "1"), kind("byte", "2"), row("gone", "4")]).map(
      ({ reached }) => reached,
    ),
    ["1", "3"],
  );
});

test.run();
