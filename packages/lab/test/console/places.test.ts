import { seeded } from "@relevance/lib/platform/statistics/random.ts";
import { fuse } from "@relevance/lib/search/fusion/fuse.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { explainScore, withWeight } from "../../console/search/places.ts";
import { techniquesOf } from "../../tuning/settings.ts";
import { placesOf, type SubqueryPlace, shownRank } from "../../whereabouts/subquery-places.ts";

const test = suite("ranks of a hit and their reasons");

/** Three subqueries over two shards; each finds about half of 40 documents. */
function candidates(seed: number) {
  const random = seeded(seed);
  const subqueries = Array.from({ length: 3 }, () =>
    [0, 1].map((shard) =>
      Array.from({ length: 20 }, (_, number) => ({ id: `${shard}-${number}`, score: Math.fround(random() * 9) }))
        .filter(() => random() < 0.5)
        .sort((a, b) => b.score - a.score),
    ),
  );
  return { subqueries, version: "3.6.0", globalRanks: true };
}

test("explains exactly the score that fusion computes, for every technique", () => {
  const weights = [0.5, 0.2, 0.3];
  for (const { normalization, combination } of techniquesOf({ rrf: true, weightedRrf: true, zScore: true })) {
    const found = candidates(7);
    const settings = { normalization, combination, weights };
    const hits = fuse(found.subqueries, settings, { size: 100, globalRanks: true });
    assert.ok(hits.length > 20);
    for (const { id, score } of hits) {
      const reason = explainScore(found, settings, id);
      assert.is(reason?.score, score, `${normalization} ${combination} ${id}`);
      const shares = reason?.shares.map(({ contribution }) => contribution) ?? [];
      if (shares.includes(null)) continue;
      const sum = shares.reduce<number>((total, share) => total + (share ?? 0), 0);
      assert.ok(Math.abs(sum - score) < 1e-5 * Math.max(1, Math.abs(score)), `${normalization} ${combination} ${id}`);
    }
  }
});

test("counts ranks over all shards, and gives none to a document that a subquery did not find", () => {
  const found = {
    subqueries: [
      [[{ id: "a", score: 3 }], [{ id: "b", score: 5 }]],
      [[], [{ id: "b", score: 1 }]],
    ],
    ...{ version: "3.6.0", globalRanks: true },
  };
  const places = placesOf(found);
  assert.equal(places.get("a"), [{ rank: 2, isTied: false, score: 3 }, null]);
  assert.equal(places.get("b"), [
    { rank: 1, isTied: false, score: 5 },
    { rank: 1, isTied: false, score: 1 },
  ]);
  assert.is(explainScore(found, { weights: null, normalization: "min_max", combination: "rrf" }, "c"), undefined);
});

test("documents of equal score share a rank, which is shown as tied", () => {
  const hits = ["s3", "s1", "s2", "s4"].map((id, index) => ({ id, score: [2, 1, 1, 0.5][index] ?? 0 }));
  const places = placesOf({ subqueries: [[hits]] });
  const shown = hits.map(({ id }) => shownRank(places.get(id)?.[0] as SubqueryPlace));
  assert.equal(shown, ["1", "=2", "=2", "4"]);
});

test("keeps weights in hundredths that sum to 1, whichever weight is dragged", () => {
  const random = seeded(3);
  let weights = [0.34, 0.33, 0.33];
  for (let step = 0; step < 500; step += 1) {
    const subquery = Math.floor(random() * 3);
    const value = Math.round(random() * 20) / 20;
    weights = withWeight(weights, subquery, value);
    assert.is(weights[subquery], value);
    assert.is(Math.round(weights.reduce((sum, weight) => sum + weight * 100, 0)), 100, weights.join());
    assert.ok(weights.every((weight) => weight >= 0 && Math.abs(weight * 100 - Math.round(weight * 100)) < 1e-9));
  }
});

test.run();
