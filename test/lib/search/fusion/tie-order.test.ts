import * as assert from "uvu/assert";
import { fuse } from "../../../../lib/search/fusion/fuse.ts";
import { inTieOrder } from "../../../../lib/search/fusion/tie-order.ts";
import { suite } from "../../../suite.ts";

const test = suite("the order of equal scores");

const hits = (...docs: number[]) => docs.map((doc) => ({ id: `d${doc}`, score: 1, doc }));

test("is that of a HashMap of 16 buckets, then of 32, on each shard, and first come first served in a bucket", () => {
  assert.equal(
    inTieOrder([
      [hits(40, 3), hits(5)],
      [hits(18, 19), hits(1)],
    ]),
    [
      ["d18", "d3", "d19", "d40"],
      ["d1", "d5"],
    ],
  );
  const [many = []] = inTieOrder([[hits(40, 3, 18, 19, 0, 1, 2, 4, 5, 6, 7, 8, 9)]]);
  assert.equal(many.slice(-5), ["d40", "d8", "d9", "d18", "d19"]);
  assert.equal(inTieOrder([[hits(65_536, 0)]]), [["d0", "d65536"]]);
});

test("decides between documents of equal score, and is the subqueries' own without numbers", () => {
  const settings = { normalization: "min_max", combination: "arithmetic_mean", weights: null } as const;
  const order = (subqueries: Parameters<typeof fuse>[0]) =>
    fuse(subqueries, settings, { size: 2, globalRanks: true }).map(({ id }) => id);
  assert.equal(order([[hits(18, 3, 2)]]), ["d18", "d2"]);
  assert.equal(order([[["b", "a", "c"].map((id) => ({ id, score: 1 }))]]), ["b", "a"]);
});

test.run();
