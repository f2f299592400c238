import * as assert from "uvu/assert";
import { simultaneousIntervals } from "../../../../lib/platform/statistics/bootstrap.ts";
import { build } from "../../../../lib/recommendation/built-in/build.ts";
import { NEIGHBOURS } from "../../../../lib/recommendation/built-in/co-occurrence.ts";
import {
  type Columns,
  columnsOf,
  itemsOf,
  type Matrix,
  usersOf,
  withoutNewest,
} from "../../../../lib/recommendation/built-in/matrix.ts";
import { builtInRanking, gain, gains } from "../../../../lib/recommendation/built-in/measure.ts";
import { neighboursIn } from "../../../../lib/recommendation/built-in/neighbours.ts";
import { prepare, readPrepared } from "../../../../lib/recommendation/built-in/prepare.ts";
import { BuiltInReport } from "../../../../lib/recommendation/built-in/report.ts";
import { textNeighbours } from "../../../../lib/recommendation/built-in/texts.ts";
import {
  BETWEEN_RUNS,
  itemKey,
  kindKey,
  moreKey,
  recentKey,
  userKey,
} from "../../../../lib/recommendation/clients/built-in-table.ts";
import { findFile, readFile, runKeys } from "../../../../lib/recommendation/etl/run-files.ts";
import { withEngine } from "../../../../lib/recommendation/etl/sql.ts";
import { RunPlan } from "../../../../lib/recommendation/etl/tasks.ts";
import { suggestedItems } from "../../../../lib/recommendation/lists/candidates/built-in.ts";
import { tasteData } from "../../../../packages/local-personalize/test/taste-data.ts";
import { suite } from "../../../suite.ts";
import { event, ITEM, LIMITS, world } from "../etl/run.ts";

const test = suite("Built-in engine");

type Shop = ReturnType<typeof world>;

const reportOf = async ({ store }: Shop, run: string) => {
  const report = await findFile(store, runKeys(run).builtIn, BuiltInReport);
  return report && { ...report, seconds: 0 };
};

const CATEGORIES = new Map<string, string>();

const DATA = tasteData({ seed: 5, users: 1_500, items: 2_000, eventsPerUser: 16 });

/** A shop of users with hidden tastes. Many of its items have few users; their categories tell of their kind. */
async function openShop(): Promise<Shop> {
  const shop = world();
  shop.records.item = DATA.items.map(({ itemId, categories }) => {
    CATEGORIES.set(itemId, categories);
    return { ...ITEM, ITEM_ID: itemId, TITLE: `Book ${itemId}`, CATEGORIES: categories };
  });
  const events = DATA.events.map(({ userId, itemId, timestamp }, index) =>
    event(`e${index}`, { USER_ID: userId, ITEM_ID: itemId, TIMESTAMP: timestamp }),
  );
  shop.events("2025-03-01", "a", [...events, event("e-unknown", { USER_ID: "u1", ITEM_ID: "never uploaded" })]);
  await shop.run("r1");
  return shop;
}

const shop = await openShop();

/** Reads the run, with every third user as a test user, so that differences show. */
const preparedRun = withEngine(LIMITS, async (engine) => {
  await prepare("r1", await readFile(shop.store, runKeys("r1").plan, RunPlan), shop.store, engine);
  const prepared = await readPrepared(engine);
  const byText = await textNeighbours(engine, prepared.itemIds.length);
  return { ...prepared, byText, isTest: prepared.isTest.map((_, user) => (user % 3 === 0 ? 1 : 0)) };
});

test("recommends better than popularity and than plain cosine over items, on data with hidden tastes", async () => {
  const prepared = await preparedRun;
  const { isTest } = prepared;
  const matrix = withoutNewest(prepared.matrix, (user) => (isTest[user] === 1 ? Number.POSITIVE_INFINITY : 0));
  const columns = columnsOf(matrix);
  const popular = [...new Array(prepared.matrix.items).keys()];
  const builtIn = gains(prepared, builtInRanking(columns, neighboursIn(matrix, columns, prepared.byText)));
  const others = [gains(prepared, () => popular), gains(prepared, cosineRanking(matrix, columns))];
  const differences = others.map((other) => other.map((value, user) => (builtIn[user] as number) - value));
  const [overPopularity, overCosine] = simultaneousIntervals(differences, { resamples: 1_000 });
  assert.ok((overPopularity?.low ?? 0) > 0.01, JSON.stringify(overPopularity));
  assert.ok((overCosine?.low ?? 0) > 0, JSON.stringify(overCosine));
});

test("measures the first 25 items that the user has not seen, each once", () => {
  const others = Array.from({ length: 24 }, (_, index) => 100 + index);
  const gainOf = (ranking: readonly number[]) => gain(ranking, new Set([1]), [2]);
  assert.is(gainOf([1, 2]), 1);
  assert.is(gainOf([1, ...others, ...others, 2]), 1 / Math.log2(26));
  assert.is(gainOf([...others, 3, 2]), 0);
});

test("reports the figures of both on the same test users, with intervals", async () => {
  await shop.learn("r1");
  const report = await reportOf(shop, "r1");
  assert.is(report?.of, 2_000);
  assert.is(report?.users, 1_500);
  assert.ok(report?.measured);
  const { users, built_in, popularity } = report.measured;
  assert.is(users, 150);
  assert.ok(built_in.mean > popularity.mean && built_in.low < built_in.mean && built_in.mean < built_in.high);
});

test("stores neighbours of every item and the items of every user, never those without a record", async () => {
  const { records } = shop.builtIn;
  assert.is([...CATEGORIES.keys()].filter((id) => !records.has(itemKey(id)) && !records.has(kindKey(id))).length, 0);
  const { ITEMS = [], SCORES = [] } = records.get(itemKey("i0")) ?? {};
  assert.is(ITEMS.length, 100);
  assert.is(SCORES.length, 100);
  assert.not(ITEMS.includes("i0"));
  assert.equal(
    SCORES,
    SCORES.toSorted((a, b) => b - a),
  );
  assert.not([...records.values()].some((record) => record.ITEMS.includes("never uploaded")));
  const first = DATA.events.find(({ userId }) => userId === "u1");
  assert.is(records.get(userKey("u1"))?.ITEMS.at(-1), first?.itemId);
});

test("stores all items of a user, of which none is recommended to the user again", async () => {
  const small = world();
  // Three records of a user: DynamoDB takes 400 KB for each.
  const idOf = (index: number) => `B${index}`.padEnd(250, "-");
  small.records.item = Array.from({ length: 3_200 }, (_, index) => ({ ...ITEM, ITEM_ID: idOf(index) }));
  small.events(
    "2025-03-01",
    "a",
    small.records.item.map(({ ITEM_ID }, index) =>
      event(`e${index}`, { ITEM_ID: String(ITEM_ID), TIMESTAMP: 1_740_000_000 + index }),
    ),
  );
  await small.run("r1");
  await small.learn("r1");
  const { records } = small.builtIn;
  assert.is(records.get(userKey("U1"))?.MORE, 2);
  const reads: string[][] = [];
  const { known } = await suggestedItems(
    async (keys) => {
      reads.push([...keys]);
      return new Map([...records].filter(([key]) => keys.includes(key)));
    },
    { userId: "U1", itemIds: [] },
    { remaining: () => 1_000 },
  );
  assert.equal([known.size, [...known][0], [...known].at(-1)], [3_200, idOf(3_199), idOf(0)]);
  assert.equal(reads.slice(0, 2), [
    [recentKey("U1"), userKey("U1")],
    [moreKey("U1", 1), moreKey("U1", 2)],
  ]);
});

test("finds neighbours of rare items by their texts, of their own kind more often than plain cosine does", async () => {
  const { matrix, itemIds } = await preparedRun;
  const columns = columnsOf(matrix);
  const rare = [...itemIds.keys()].filter((item) => usersOf(columns, item) < 5).slice(0, 100);
  const cosine = cosineRanking(matrix, columns);
  const alike = (id: string, others: readonly string[]) =>
    others.slice(0, 10).filter((other) => CATEGORIES.get(other) === CATEGORIES.get(id)).length;
  const differences = rare.map((item) => {
    const id = itemIds[item] as string;
    const own = shop.builtIn.records.get(kindKey(id))?.ITEMS ?? [];
    const theirs = cosine([item]);
    return (
      (alike(id, own) -
        alike(
          id,
          theirs.map((other) => itemIds[other] as string),
        )) /
      10
    );
  });
  const [difference] = simultaneousIntervals([differences], { resamples: 1_000 });
  assert.ok(rare.length === 100 && (difference?.low ?? 0) > 0.3, JSON.stringify(difference));
});

test("writes the same in calls that run out of time, and removes what another run wrote", async () => {
  const whole = new Map(shop.builtIn.records);
  const recent = { KEY: recentKey("u1"), RUN: BETWEEN_RUNS, ITEMS: ["i1"] };
  whole.set(recent.KEY, recent);
  await shop.builtIn.write([{ KEY: itemKey("gone"), RUN: "r0", ITEMS: [], SCORES: [] }, recent]);
  const before = await reportOf(shop, "r1");
  // A call has time for two batches, of 500 of 3,500 records each, and the last one for the rest.
  assert.is(await shop.learn("r1", [60_003, 60_003, 60_003, 900_000]), 4);
  assert.equal(shop.builtIn.records, whole);
  assert.equal(await reportOf(shop, "r1"), before);
});

test("fails if a call has no time for anything, in place of calls without end", async () => {
  const error = await shop.learn("r1", [60_000]).then(
    () => assert.unreachable(),
    (error) => error,
  );
  assert.match(String(error), "One call is too short");
});

test("learns from the event type of user_personalization alone, and without records of items", async () => {
  const small = world();
  small.records.item = [];
  small.events("2025-03-01", "a", [
    ...["B1", "B2"].map((ITEM_ID) => event(`v${ITEM_ID}`, { ITEM_ID })),
    ...["B3", "B4"].map((ITEM_ID) => event(`b${ITEM_ID}`, { ITEM_ID, EVENT_TYPE: "buy" })),
  ]);
  await small.run("r1", { checks: [{ name: "similar_items" }, { name: "user_personalization", event_type: "buy" }] });
  await small.learn("r1");
  assert.equal([...small.builtIn.records.keys()].sort(), [itemKey("B3"), itemKey("B4"), userKey("U1")]);
});

test("leaves users out when the pairs would not fit into memory", async () => {
  const plan = await readFile(shop.store, runKeys("r1").plan, RunPlan);
  const { matrix } = await withEngine(LIMITS, async (engine) => {
    await prepare("r1", plan, shop.store, engine, { mostPairs: 6_000 });
    return readPrepared(engine);
  });
  assert.ok(matrix.itemOf.length > 4_000 && matrix.itemOf.length < 8_000, `${matrix.itemOf.length} pairs`);
});

test("trains on more events than the engine's memory holds", async () => {
  const plan = await readFile(shop.store, runKeys("r1").plan, RunPlan);
  const big = world();
  const columns = plan.definitions.schemas.interaction.fields.map(({ name }) => name);
  const cells: Readonly<Record<string, (index: number) => string>> = {
    USER_ID: (index) => `"U${(index * 7_919) % 40_009}"`,
    ITEM_ID: (index) => `"B${(index * 31) % 5_021}"`,
    TIMESTAMP: (index) => String(1_740_000_000 + (index % 86_400)),
  };
  const cellsOf = columns.map((name) => cells[name] ?? (() => ""));
  const rows = Array.from({ length: 1_000_000 }, (_, index) => cellsOf.map((cellOf) => cellOf(index)).join());
  big.store.objects.set(runKeys("big").interactions(0), Buffer.from([columns.join(), ...rows, ""].join("\n")));
  big.store.objects.set(runKeys("big").plan, Buffer.from(JSON.stringify(plan)));
  const task = { task: "built-in", run: "big", result: runKeys("big").builtIn } as const;
  const counts = { at: 0, items: 0, by_text: 0, seconds: 0, done: false };
  const done = await withEngine({ ...LIMITS, memoryMb: 90 }, (engine) =>
    build({ ...task, ...counts }, big.store, big.builtIn, engine, { remaining: () => 900_000 }),
  );
  assert.equal([done.done, done.items], [true, 5_021]);
  assert.is(big.builtIn.records.size, 5_021 + 40_009);
});

/** Cosine over items with as many neighbours, without weights or shrinkage: the plain form of item-based filtering. */
function cosineRanking(matrix: Matrix, columns: Columns) {
  const known = new Map<number, { other: number; cosine: number }[]>();
  return (history: readonly number[]): number[] => {
    const sums = new Map<number, number>();
    for (const item of history) {
      const nearest = known.get(item) ?? nearestByCosine(matrix, columns, item);
      known.set(item, nearest);
      for (const { other, cosine } of nearest) sums.set(other, (sums.get(other) ?? 0) + cosine);
    }
    return [...sums].sort(([a, x], [b, y]) => y - x || a - b).map(([item]) => item);
  };
}

function nearestByCosine(matrix: Matrix, columns: Columns, item: number) {
  const common = new Map<number, number>();
  for (const user of columns.userOf.subarray(columns.startOfItem[item], columns.startOfItem[item + 1])) {
    for (const other of itemsOf(matrix, user)) common.set(other, (common.get(other) ?? 0) + 1);
  }
  const similar = [...common].map(([other, users]) => ({
    other,
    cosine: users / Math.sqrt(usersOf(columns, item) * usersOf(columns, other)),
  }));
  similar.sort((a, b) => b.cosine - a.cosine || a.other - b.other);
  return similar.filter(({ other }) => other !== item).slice(0, NEIGHBOURS);
}

test.run();
