import * as assert from "uvu/assert";
import { contest, type Engine } from "../fixtures/recommenders.ts";
import { suite } from "../suite.ts";

/** `make bench ARGS=recommender-quality` plays the same with more users, more items and a larger grid. */
const test = suite("engines beside the recommenders of a library");

const played = contest(
  { seed: 3, users: 800, items: 600, eventsPerUser: 16 },
  {
    als: [
      [8, 1, 1],
      [8, 10, 10],
      [16, 10, 10],
    ],
    ease: [30, 300],
  },
);

const over = async (engine: Engine) => {
  const { builtInOver } = await played;
  const interval = builtInOver[engine];
  assert.ok(interval);
  return interval;
};

test("the built-in engine recommends better than popularity and than the library's item-kNN", async () => {
  const [popularity, cosine] = [await over("popularity"), await over("item-kNN")];
  assert.ok(popularity.low > 0.05, JSON.stringify(popularity));
  assert.ok(cosine.low > 0, JSON.stringify(cosine));
});

test("the local Personalize recommends twice as well as popularity", async () => {
  const { quality } = await played;
  assert.ok(quality["local Personalize"].low > 2 * quality.popularity.mean, JSON.stringify(quality));
});

test("a tuned factorization of the library is not far ahead of the built-in engine", async () => {
  const { quality } = await played;
  const difference = await over("ALS");
  assert.ok(difference.low > -0.15 * quality.ALS.mean, JSON.stringify({ difference, quality }));
});

test("EASE, whose weights need the memory of all pairs of items, is not far ahead of the built-in engine", async () => {
  const { quality } = await played;
  const difference = await over("EASE");
  assert.ok(difference.low > -0.15 * quality.EASE.mean, JSON.stringify({ difference, quality }));
});

test.run();
