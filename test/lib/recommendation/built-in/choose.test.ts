import * as assert from "uvu/assert";
import { seeded } from "../../../../lib/platform/statistics/random.ts";
import { chooseModel } from "../../../../lib/recommendation/built-in/choose.ts";
import { factorize } from "../../../../lib/recommendation/built-in/factors.ts";
import type { Matrix } from "../../../../lib/recommendation/built-in/matrix.ts";
import { tasteData } from "../../../../packages/local-personalize/test/taste-data.ts";
import { suite } from "../../../suite.ts";

const test = suite("the choice of the built-in engine's model");

/** Returns the matrix of histories, latest first. */
function matrixOf(histories: readonly (readonly number[])[], items: number): Matrix {
  const startOfUser = new Int32Array(histories.length + 1);
  for (const [user, { length }] of histories.entries()) startOfUser[user + 1] = (startOfUser[user] as number) + length;
  return { users: histories.length, items, startOfUser, itemOf: Int32Array.from(histories.flat()) };
}

/** Users of `kinds` tastes, each of whom takes a few of the many items of one kind, so that few pairs of items meet. */
function tastes(kinds: number, users: number): Matrix {
  const random = seeded(1);
  const items = 360;
  const histories = Array.from({ length: users }, (_, user) => {
    const own = new Set<number>();
    while (own.size < 6) own.add(Math.floor(random() * (items / kinds)) * kinds + (user % kinds));
    return [...own];
  });
  return matrixOf(histories, items);
}

/** Histories with hidden tastes, latest first. */
function tasted(): number[][] {
  const { events, items } = tasteData({ seed: 1, users: 1_000, items: 2_000, eventsPerUser: 20 });
  const numbers = new Map(items.map(({ itemId }, number) => [itemId, number]));
  const histories = [...Map.groupBy(events, ({ userId }) => userId).values()];
  return histories.map((own) => own.map(({ itemId }) => numbers.get(itemId) as number).reverse());
}

const chosen = (matrix: Matrix) =>
  chooseModel(
    {
      ...{ matrix, itemIds: [] },
      isTest: new Uint8Array(matrix.users),
      isActive: new Uint8Array(matrix.items).fill(1),
    },
    () => [],
  );

test("finds the items of the same kind, though hardly a pair of them has a common user", () => {
  const neighbours = factorize(tastes(6, 200))(8);
  const found = [0, 100, 300].flatMap((item) =>
    (neighbours(item) ?? []).slice(0, 25).map((one) => (one.item - item) % 6),
  );
  assert.ok(found.filter((kind) => kind === 0).length > 0.95 * found.length, String(found));
});

test("learns from fewer items and users than there are factors", () => {
  const lists = factorize(matrixOf([[0, 1], [1, 0, 2], []], 4))(8);
  assert.is(lists(0)?.[0]?.item, 1);
  assert.equal(lists(3), []);
});

test("keeps common users unless factors are better beyond chance", () => {
  const random = seeded(2);
  const noise = Array.from({ length: 200 }, () => [
    ...new Set(Array.from({ length: 8 }, () => Math.floor(random() * 300))),
  ]);
  assert.is(chosen(matrixOf(noise, 300)).factors, 0);
  assert.equal(chosen(matrixOf([[0, 1]], 2)), { factors: 0, users: 1 });
  const { factors, over } = chosen(matrixOf(tasted(), 2_000));
  assert.ok(factors > 0 && (over?.low ?? 0) > 0, JSON.stringify({ factors, over }));
});

test.run();
