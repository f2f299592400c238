import * as assert from "uvu/assert";
import {
  checkData,
  dataDigest,
  lacks,
  largeOf,
  leftOutOf,
  UNTRAINED_ENGINES,
  unknownOf,
} from "../../../../lib/recommendation/training/check-data.ts";
import { suite } from "../../../suite.ts";
import { event, ITEM, readManifest, USER, world } from "../etl/run.ts";
import { memoryState } from "./memory-state.ts";
import { onlyUsers } from "./settings.ts";

const test = suite("data of a training");

const counted = (interactions: number, users_with_two: number, users = 100) => ({
  event_types: { view: 5_000, purchase: interactions },
  event_types_left_out: {},
  checks: [{ name: "similar_items", interactions, users, users_with_two }],
});
const check = { name: "similar_items", event_type: "purchase" };

test("1,000 interactions of 25 users with two each are enough", () => {
  assert.equal(lacks(counted(1_000, 25), [check]), []);
});

test("999 interactions or 24 users are not enough, and both are reported at once", () => {
  assert.equal(lacks(counted(999, 24), [check]), [
    'similar_items: there are 999 interactions of type "purchase", but 1,000 are needed',
    'similar_items: 24 users have at least two interactions of type "purchase", but 25 are needed',
  ]);
});

test("names the threshold", () => {
  assert.equal(lacks(counted(2_000, 3), [{ ...check, event_value_threshold: 0.5 }]), [
    'similar_items: 3 users have at least two interactions of type "purchase" with a value of 0.5 or more, but 25 are needed',
  ]);
});

test("an unknown event type is reported with the existing ones, most frequent first", () => {
  assert.equal(lacks(counted(1_000, 25), [{ ...check, event_type: "buy" }]), [
    'similar_items: no event has the target_event_type "buy"; there are "view" (5,000), "purchase" (1,000)',
  ]);
});

test("with many users, one in a hundred must have two interactions", () => {
  assert.equal(lacks(counted(9_999, 50, 5_000), [check]), []);
  assert.equal(lacks(counted(9_999, 50, 5_001), [check]), [
    'similar_items: 50 users have at least two interactions of type "purchase", but 51 are needed, one in a hundred',
  ]);
});

test("names the types that are left out, with their events, the most frequent ones first", () => {
  assert.is(leftOutOf({ event_types_left_out: {} }), undefined);
  assert.is(
    leftOutOf({ event_types_left_out: { hover: 1_200, scroll: 3_000 } }),
    '4,200 events of 2 types are not trained on: "scroll" (3,000), "hover" (1,200). ' +
      "They stay stored: event_types of solution.yaml says which types go to Personalize",
  );
});

test("says how many events name items and users that are not stored", () => {
  const interaction = { rows: 6_000 };
  assert.is(unknownOf({ interaction, unknown: { items: 0, users: 0, examples: [] } }), undefined);
  assert.is(
    unknownOf({ interaction, unknown: { items: 5_194, users: 12, examples: ["195153448", "2005018"] } }),
    '5,194 of 6,000 events (87 %) name items that are not stored, such as "195153448", "2005018": training learns from ' +
      "them, but they are never recommended. Upload these items, or compare the ids. " +
      "12 of 6,000 events (0.20 %) name users that are not stored",
  );
});

test("says that data is near a limit of Personalize before an import fails or a training leaves events out", () => {
  const dataset = (rows: number, ...gigabytes: number[]) => ({
    folder: "",
    files: gigabytes.map((size) => ({ key: "", bytes: size * 1e9 })),
    rows,
    rejected: 0,
    rejects: [],
  });
  const small = { user: dataset(1, 1), item: dataset(1, 1), interaction: dataset(399_999_999, 79) };
  assert.is(largeOf(small, ["aws-sims"]), undefined);
  const large = largeOf({ ...small, item: dataset(1, 60, 21), interaction: dataset(400_000_000, 120) }, ["aws-sims"]);
  assert.is(
    large,
    "There are 400,000,000 interactions, and a training of aws-sims considers 500,000,000 of them: ask AWS to raise the " +
      "quota, or shorten log_lookback_days. The items have 81 GB, and Personalize imports 100 GB of a dataset at once by " +
      "default: ask AWS to raise the quota, or import less. The interactions have 120 GB, and Personalize imports 100 GB " +
      "of a dataset at once by default: ask AWS to raise the quota, or import less",
  );
});

// Source: Personalize Developer Guide, "Amazon Personalize endpoints and quotas".
test("compares interactions and items with the limits of each recipe", () => {
  const dataset = (rows: number) => ({ folder: "", files: [], rows, rejected: 0, rejects: [] });
  const data = (items: number, rows: number) => ({
    user: dataset(1),
    item: dataset(items),
    interaction: dataset(rows),
  });
  const v2 = "aws-user-personalization-v2";
  assert.is(largeOf(data(3_999_999, 2_399_999_999), [v2]), undefined);
  assert.is(
    largeOf(data(4_000_000, 2_400_000_000), [v2]),
    "There are 2,400,000,000 interactions, and a training of aws-user-personalization-v2 considers 3,000,000,000 of them: " +
      "shorten log_lookback_days. There are 4,000,000 items, and a training of aws-user-personalization-v2 considers " +
      "5,000,000 of them: remove items that are not offered any more",
  );
  assert.is(
    largeOf(data(600_000, 1), [v2, "aws-sims"]),
    "There are 600,000 items, and a training of aws-sims considers 750,000 of them: remove items that are not offered any more",
  );
});

test("reports that there are no events at all", () => {
  const nothing = {
    event_types: {},
    event_types_left_out: {},
    checks: [{ name: "similar_items", interactions: 0, users: 0, users_with_two: 0 }],
  };
  assert.match(lacks(nothing, [check])[0] ?? "", "no events at all: upload some with /log-event");
});

test("says why the built-in engine was not trained, counts it, and goes on", async () => {
  const shop = world();
  shop.events("2025-03-01", "a", [event("1"), event("2", { ITEM_ID: "B2" })]);
  await shop.run("r1");
  const state = memoryState();
  const lines: string[] = [];
  const context = {
    store: shop.store,
    state,
    settings: onlyUsers(),
    print: (line: string) => lines.push(line),
    now: Date.now,
  };
  const untrained = async () => {
    lines.length = 0;
    await checkData("r1", [], context);
    return (await state.data())?.untrained ?? "";
  };
  assert.match(await untrained(), "what it learned before is in use: it left no reason; see the log of etl");
  shop.builtIn.write = () => Promise.reject(new Error("the table is gone"));
  await shop.learn("r1").catch(() => undefined);
  assert.match(await untrained(), "in use: Error: the table is gone");
  assert.is(JSON.parse(lines[0] ?? "")[UNTRAINED_ENGINES], 1);
  shop.builtIn.write = async () => undefined;
  await shop.learn("r1");
  assert.equal([await untrained(), lines], ["", []]);
});

type World = ReturnType<typeof world>;

const newWorld = () => {
  const made = world();
  made.events("2025-03-01", "a", [event("1"), event("2")]);
  return made;
};

async function digestOf(of: World, run: string, input: { mode?: string } = {}): Promise<string> {
  await of.run(run, input);
  const manifest = await readManifest(of.store, run);
  assert.ok(manifest);
  return dataDigest(manifest, of.store);
}

test("is the same for two runs over the same data", async () => {
  const same = newWorld();
  assert.is(await digestOf(same, "one"), await digestOf(same, "two"));
});

test("changes with more events, another user, another item and another mode", async () => {
  const before = await digestOf(newWorld(), "one");
  const changes: ((of: World) => void)[] = [
    (of) => of.events("2025-03-02", "b", [event("3")]),
    (of) => of.records.user.push({ ...USER, USER_ID: "U2" }),
    (of) => of.records.item.splice(0, 1, { ...ITEM, AUTHOR: "Bea" }),
  ];
  const digests = await Promise.all(
    changes.map((change) => {
      const changed = newWorld();
      change(changed);
      return digestOf(changed, "one");
    }),
  );
  digests.push(await digestOf(newWorld(), "one", { mode: "update_dataset_group" }));
  assert.is(new Set([before, ...digests]).size, 5);
});

test.run();
