import { random } from "@relevance/demo-data/random.ts";
import type { FilterRecord } from "@relevance/lib/personalize/filters/evaluate.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import type { Interaction } from "../data/interactions.ts";
import { forUser, indexModel, relatedTo } from "../learn/answer.ts";
import { metricsOf } from "../learn/metrics.ts";
import { type TrainingInput, train } from "../learn/train.ts";
import { holdOut, trainingSet } from "../learn/training-set.ts";
import { parametersOf, recipeArn, recipeOf } from "../recipes.ts";
import { type TasteData, tasteData } from "./taste-data.ts";

const test = suite("local Personalize: learning");

function recipe(name: string) {
  const found = recipeOf(recipeArn(name));
  if (!found) throw new Error(`no recipe ${name}`);
  return found;
}

function input(
  name: string,
  interactions: readonly Interaction[],
  parameters: Record<string, string> = {},
): TrainingInput {
  const found = recipe(name);
  return {
    recipe: found,
    parameters: { ...parametersOf(found, "algorithm"), ...parametersOf(found, "featurization"), ...parameters },
    interactions,
    choice: { thresholds: null },
    items: new Map(),
    featureColumns: { categorical: [], textual: [] },
    takenAt: 0,
  };
}

/** Splits off the newest tenth of each user's events, which no model here sees. */
function split({ events }: TasteData) {
  const byUser = Map.groupBy(events, ({ userId }) => userId);
  const known: Interaction[] = [];
  const hidden = new Map<string, Set<string>>();
  for (const [userId, own] of byUser) {
    const held = Math.ceil(own.length / 10);
    known.push(...own.slice(0, -held));
    hidden.set(userId, new Set(own.slice(-held).map(({ itemId }) => itemId)));
  }
  return { known, hidden };
}

/** Returns NDCG@25 over all users, computed independently of the code under test. */
function ndcgAt25(
  hidden: ReadonlyMap<string, ReadonlySet<string>>,
  list: (userId: string) => readonly string[],
): number {
  let sum = 0;
  for (const [userId, wanted] of hidden) {
    let gain = 0;
    let ideal = 0;
    list(userId)
      .slice(0, 25)
      .forEach((itemId, place) => {
        if (wanted.has(itemId)) gain += 1 / Math.log2(place + 2);
        if (place < wanted.size) ideal += 1 / Math.log2(place + 2);
      });
    sum += gain / ideal;
  }
  return sum / hidden.size;
}

for (const [seed, featureColumns] of [
  [1, []],
  [3, ["CATEGORIES"]],
] as const) {
  const by = featureColumns.length > 0 ? "interactions and categories" : "interactions";
  test(`user-personalization learns 1.5 times the NDCG@25 of popularity on unseen events from ${by} (seed ${seed})`, async () => {
    const data = tasteData({ seed, users: 500, items: 400 });
    const { known, hidden } = split(data);
    const items = new Map(data.items.map(({ itemId, categories }) => [itemId, { CATEGORIES: categories }]));
    const { model } = await train({
      ...input("aws-user-personalization", known),
      items,
      featureColumns: { categorical: featureColumns, textual: [] },
    });
    const index = indexModel(model);
    const counts = Map.groupBy(known, ({ itemId }) => itemId);
    const popular = [...counts].sort(([, a], [, b]) => b.length - a.length).map(([itemId]) => itemId);
    const seen = Map.groupBy(known, ({ userId }) => userId);
    // The stronger baseline of the two: popular items that the user has not interacted with.
    const baseline = ndcgAt25(hidden, (userId) => {
      const own = new Set(seen.get(userId)?.map(({ itemId }) => itemId));
      return popular.filter((itemId) => !own.has(itemId));
    });
    assert.ok(baseline > ndcgAt25(hidden, () => popular));
    const personal = ndcgAt25(hidden, (userId) => forUser(index, userId, []).map(({ itemId }) => itemId));
    assert.ok(personal > 1.5 * baseline, `personal ${personal.toFixed(4)}, popularity ${baseline.toFixed(4)}`);
  });
}

test("needs at least 25 users with two events, and 1,000 events", async () => {
  const events = (count: number, users: number) =>
    Array.from({ length: count }, (_, n) => event(`u${n % users}`, `i${n % 97}`, n));
  const single = event("once", "i1", 1);
  const run = async (interactions: readonly Interaction[]) => {
    try {
      await train(input("aws-popularity-count", interactions));
      return "trained";
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
  };
  assert.match(
    await run([...events(1200, 24), single]),
    /fewer than 25 users with at least 2 interactions each \(it has 24\)/,
  );
  assert.is(await run(events(1200, 25)), "trained");
  assert.match(await run(events(999, 30)), /fewer than 1000 interactions \(it has 999\)/);
  assert.is(await run(events(1000, 30)), "trained");
});

test("trains deterministically and reports metrics between 0 and 1", async () => {
  const { events } = tasteData();
  const [first, second] = [
    await train(input("aws-user-personalization", events)),
    await train(input("aws-user-personalization", events)),
  ];
  assert.equal(first.metrics, second.metrics);
  assert.equal(forUser(indexModel(first.model), "u3", []), forUser(indexModel(second.model), "u3", []));
  assert.equal(Object.keys(first.metrics).toSorted(), [
    "coverage",
    "mean_reciprocal_rank_at_25",
    "normalized_discounted_cumulative_gain_at_10",
    "normalized_discounted_cumulative_gain_at_25",
    "normalized_discounted_cumulative_gain_at_5",
    "precision_at_10",
    "precision_at_25",
    "precision_at_5",
  ]);
  for (const value of Object.values(first.metrics)) assert.ok(value > 0 && value < 1);
});

test("computes the metrics by their definitions", () => {
  const hidden = [Int32Array.of(7), Int32Array.of(1, 9), Int32Array.of()];
  const lists = [[5, 7, 6], [1, 2, 3, 4, 6, 9], [8]];
  const metrics = metricsOf(hidden, 20, (user) => lists[user] ?? []);
  const ideal = 1 + 1 / Math.log2(3);
  const close = (name: string, value: number) =>
    assert.ok(Math.abs((metrics[name] ?? 0) - value) < 1e-4, `${name} ${metrics[name]}`);
  close("mean_reciprocal_rank_at_25", (1 / 2 + 1) / 2);
  close("normalized_discounted_cumulative_gain_at_5", (1 / Math.log2(3) + 1 / ideal) / 2);
  close("normalized_discounted_cumulative_gain_at_25", (1 / Math.log2(3) + (1 + 1 / Math.log2(7)) / ideal) / 2);
  close("precision_at_5", (1 / 5 + 1 / 5) / 2);
  close("precision_at_10", (1 / 10 + 2 / 10) / 2);
  close("coverage", 8 / 20);
});

test("holds out the newest tenth, but never all events of a user", () => {
  const events = Array.from({ length: 20 }, (_, index) => event("a", `i${index}`, 100 - index));
  const set = trainingSet([...events, event("b", "i0", 1), event("b", "i1", 2)]);
  const { known, hidden } = holdOut(set);
  assert.equal(
    [...(hidden[0] ?? [])].map((item) => set.items[item]),
    ["i1", "i0"],
  );
  assert.is(known.starts[1], 18);
  assert.is(hidden[1]?.length, 0);
});

const event = (
  userId: string,
  itemId: string,
  timestamp: number,
  eventType = "click",
  eventValue: number | null = null,
) => ({ userId, itemId, timestamp, eventType, eventValue }) satisfies Interaction;

/** `left` and `right` are bought together by 12 users, `hit` by everyone, `rare` with `left` by two. */
function basketEvents(): Interaction[] {
  const numbers = random(5);
  const events: Interaction[] = [];
  for (let user = 0; user < 200; user += 1) {
    const id = `u${user}`;
    events.push(event(id, "hit", 1));
    if (user < 12) events.push(event(id, "left", 2), event(id, "right", 3));
    if (user < 2) events.push(event(id, "rare", 4));
    for (let more = 0; more < 5; more += 1) events.push(event(id, `filler${numbers.between(0, 99)}`, 5 + more));
  }
  return events;
}

test("sims discounts popularity by its factor", async () => {
  const first = async (popularity_discount_factor: string) => {
    const parameters = { popularity_discount_factor, max_user_history_length_percentile: "1.0" };
    const { model } = await train(input("aws-sims", basketEvents(), parameters));
    return relatedTo(indexModel(model), "left")[0]?.itemId;
  };
  assert.is(await first("0.5"), "right");
  assert.is(await first("1.0"), "right");
  // All twelve users have both hit and right; without a discount the more popular one goes first.
  assert.is(await first("0.0"), "hit");
});

test("sims leaves out pairs with fewer common users than min_cointeraction_count", async () => {
  const place = async (min_cointeraction_count: string) => {
    const parameters = {
      popularity_discount_factor: "1.0",
      min_cointeraction_count,
      max_user_history_length_percentile: "1.0",
    };
    const { model } = await train(input("aws-sims", basketEvents(), parameters));
    return relatedTo(indexModel(model), "left").findIndex(({ itemId }) => itemId === "rare");
  };
  assert.ok((await place("2")) <= 1);
  assert.ok((await place("3")) > 1);
});

test("similar-items finds items without interactions by their categories unless the column is excluded", async () => {
  const { events, items } = tasteData();
  const records = new Map<string, FilterRecord>(items.map((i) => [i.itemId, { CATEGORIES: i.categories }]));
  records.set("new", { CATEGORIES: "Western" });
  records.set("model", { CATEGORIES: "Western" });
  const place = async (featureColumns: readonly string[]) => {
    const { model } = await train({
      ...input("aws-similar-items", events),
      items: records,
      featureColumns: { categorical: featureColumns, textual: [] },
    });
    return relatedTo(indexModel(model), "model").findIndex(({ itemId }) => itemId === "new");
  };
  assert.ok((await place(["CATEGORIES"])) < 100);
  assert.ok((await place([])) > 300);
});

test("learns only from the chosen event types above their thresholds", async () => {
  const likes = Array.from({ length: 1200 }, (_, n) => event(`u${n % 60}`, `liked${n % 37}`, n, "Rate", 4));
  const dislikes = Array.from({ length: 2000 }, (_, n) => event(`u${n % 60}`, `disliked${n % 41}`, n, "rate", 2));
  const views = Array.from({ length: 2000 }, (_, n) => event(`u${n % 60}`, `viewed${n % 43}`, n, "view"));
  const all = [...likes, ...dislikes, ...views];
  const known = async (thresholds: Map<string, number | undefined>) => {
    const { model } = await train({ ...input("aws-popularity-count", all), choice: { thresholds } });
    return new Set(model.set.items.map((id) => id.replace(/\d+/, "")));
  };
  assert.equal(await known(new Map([["rate", 3]])), new Set(["liked"]));
  assert.equal(await known(new Map([["rate", undefined]])), new Set(["liked", "disliked"]));
  assert.equal(
    await known(
      new Map([
        ["rate", 3],
        ["view", undefined],
      ]),
    ),
    new Set(["liked", "viewed"]),
  );
});

test("ranks own items high if users repeat them, and low if not", async () => {
  const best = async (visits: number) => {
    const numbers = random(3);
    const events = Array.from({ length: 60 }, (_, user) =>
      Array.from({ length: 24 }, (_, n) =>
        event(
          `u${user}`,
          `i${(visits > 1 ? n % (24 / visits) : n) * 60 + user - (numbers.next() < 0.5 ? user : 0)}`,
          n,
        ),
      ),
    ).flat();
    const { model } = await train(input("aws-user-personalization", events));
    const own = new Set(events.filter(({ userId }) => userId === "u5").map(({ itemId }) => itemId));
    return forUser(indexModel(model), "u5", [])
      .slice(0, 3)
      .filter(({ itemId }) => own.has(itemId)).length;
  };
  assert.is(await best(6), 3);
  assert.is(await best(1), 0);
});

test("lets other work continue while it learns 100,000 interactions", async () => {
  const { events } = tasteData({ users: 5000, items: 2000, eventsPerUser: 20 });
  assert.ok(events.length > 99_000);
  let turns = 0;
  const turn = () => {
    turns += 1;
    timer = setImmediate(turn);
  };
  let timer = setImmediate(turn);
  await train(input("aws-user-personalization", events));
  clearImmediate(timer);
  assert.ok(turns > 50, `other work had ${turns} turns`);
});

test.run();
