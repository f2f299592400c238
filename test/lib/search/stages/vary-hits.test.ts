import * as assert from "uvu/assert";
import { seeded, shuffled } from "../../../../lib/platform/statistics/random.ts";
import { createIndexCatalog } from "../../../../lib/search/opensearch/index-catalog.ts";
import { byMarginalRelevance, limitGroups, type Trait } from "../../../../lib/search/stages/diversify.ts";
import { sharedStages } from "../../../../lib/search/stages/table.ts";
import { varietyStage } from "../../../../lib/search/stages/vary-hits.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/stages/vary-hits");

const cluster = { send: () => Promise.reject(new Error("unexpected")), close: async () => undefined };
const GROUPS = { groups: { field: "genre", max: 2 } };
const entry = { candidates: 1_000, embedding_mappings: [], variety: GROUPS };
type Search = Parameters<typeof varietyStage>[1];
const stageOf = ({ own, ...asked }: Partial<Search> & { own?: Search["request"]["variety"] } = {}) =>
  varietyStage(
    { cluster, catalog: createIndexCatalog(cluster) },
    { index: "books", request: { variety: own }, entry, native: {}, page: { from: 0, size: 10 }, ...asked },
  );

const sorted = (places: readonly number[]) => places.toSorted((a, b) => a - b);

test("near copies are moved apart, and the best hit stays first", () => {
  const copies: Trait[] = [
    [1, 0],
    [1, 0.01],
    [1, 0.02],
    [0, 1],
    [0.1, 1],
  ].map((vector) => ({ vector }));
  assert.equal(byMarginalRelevance(copies, 0.5), [0, 3, 1, 2, 4]);
});

test("a weight of 0 keeps the order, and so do hits that have nothing to compare", () => {
  const random = seeded(7);
  const vectors: Trait[] = Array.from({ length: 40 }, () => ({ vector: [random(), random(), random()] }));
  assert.equal(byMarginalRelevance(vectors, 0), [...vectors.keys()]);
  assert.equal(byMarginalRelevance([undefined, undefined, { values: ["a"] }], 0.9), [0, 1, 2]);
});

test("any traits give each place once, and at most so many of a group come first", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = seeded(seed);
    const count = Math.floor(random() * 30);
    const max = 1 + Math.floor(random() * 3);
    const groups = Array.from({ length: count }, () =>
      random() < 0.2 ? undefined : shuffled(["a", "b", "c"], random).slice(0, 1 + Math.floor(random() * 2)),
    );
    const traits = groups.map((values): Trait | undefined => {
      if (random() < 0.3) return { vector: [random() - 0.5, random() - 0.5] };
      return values && { values };
    });
    const order = byMarginalRelevance(traits, random());
    const limited = limitGroups(order, groups, max);
    assert.equal(sorted(limited), [...groups.keys()]);
    const counts = new Map<string, number>();
    const isFull = (place: number) => (groups[place] ?? []).some((value) => (counts.get(value) ?? 0) >= max);
    const first = limited.findIndex((place) => {
      if (isFull(place)) return true;
      for (const value of groups[place] ?? []) counts.set(value, (counts.get(value) ?? 0) + 1);
      return false;
    });
    const behind = first < 0 ? [] : limited.slice(first);
    assert.ok(behind.every(isFull), `seed ${seed}: a hit of a group that is not full stands behind`);
  }
});

test("the request's variety replaces that of the index, and {} switches it off", () => {
  assert.equal(stageOf({ own: {} }), {});
  assert.equal(stageOf({ own: { groups: null } }), {});
  assert.is(stageOf().stage?.window, 200);
  assert.is(stageOf({ entry: { ...entry, variety: undefined } }).stage, undefined);
});

test("a search with an order of its own keeps it, and says so only if it asked for variety", () => {
  assert.equal(stageOf({ native: { sort: ["year"] } }), {});
  const { stage, declined } = stageOf({ native: { sort: ["year"] }, own: GROUPS });
  assert.is(stage, undefined);
  assert.match(declined?.reason ?? "", "own sort");
});

test("several indexes vary if all their entries say the same", () => {
  const index = (variety: object | undefined) => ({ entry: { variety } }) as never;
  assert.equal(sharedStages([index(GROUPS), index({ ...GROUPS })]).variety, GROUPS);
  assert.is(sharedStages([index(GROUPS), index(undefined)]).variety, undefined);
  assert.is(sharedStages([]).variety, undefined);
});

test.run();
