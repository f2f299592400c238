import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { createPace, synchronize } from "../../../../lib/recommendation/sync/sync-records.ts";
import { suite } from "../../../suite.ts";
import { sdkError, syncWorld } from "../sync-world.ts";

const test = suite("recommendation: synchronization of records");

const deadline = deadlineIn(60_000);
const ids = (count: number) => Array.from({ length: count }, (_, index) => `b${index}`);
const item = (id: string, more: object = {}) => ({ ITEM_ID: id, TITLE: "x", IS_ACTIVE: "True", ...more });

test("puts the current record with the names of the schema's fields, and retired records as retired", async () => {
  const world = syncWorld();
  world.put("item", item("b1", { CATEGORIES: "a|b", PRICE: 2.5, IS_ACTIVE: "False" }));
  world.put("user", { USER_ID: "u1", AGE: 3, IS_ACTIVE: "True" });
  assert.equal([...(await synchronize(world.services, "item", ["b1"], deadline))], []);
  assert.equal([...(await synchronize(world.services, "user", ["u1"], deadline))], []);
  assert.equal(
    world.puts.map(({ dataset, records }) => [dataset, records[0]?.id, JSON.parse(records[0]?.properties ?? "")]),
    [
      ["item", "b1", { categories: "a|b", price: 2.5, blurb: "x", isActive: "False" }],
      ["user", "u1", { age: 3 }],
    ],
  );
});

test("puts at most ten records a call, each call in its turn", async () => {
  const world = syncWorld();
  for (const id of ids(25)) world.put("item", item(id));
  await synchronize(world.services, "item", ids(25), deadline);
  assert.equal(
    world.puts.map(({ records }) => records.length),
    [10, 10, 5],
  );
  assert.is(world.turns, 3);
});

test("a deleted user is done without a call", async () => {
  const world = syncWorld();
  assert.is((await synchronize(world.services, "user", ["gone"], deadline)).size, 0);
  assert.equal([world.puts, world.turns], [[], 0]);
});

test("a deleted item is put as inactive, without its texts, and as it is if it comes back meanwhile", async () => {
  const world = syncWorld();
  world.put("item", item("b1"));
  world.onPut = async () => world.put("item", item("back"));
  assert.is((await synchronize(world.services, "item", ["gone", "b1", "back"], deadline)).size, 0);
  assert.equal(
    world.puts.map(({ records }) => records.map(({ id, properties }) => [id, JSON.parse(properties)])),
    [
      [
        ["gone", { isActive: "False" }],
        ["b1", { blurb: "x", isActive: "True" }],
        ["back", { isActive: "False" }],
      ],
      [["back", { blurb: "x", isActive: "True" }]],
    ],
  );
});

test("a deleted item has a value in each column that must have one; without IS_ACTIVE it is skipped", async () => {
  const world = syncWorld();
  const { schemas } = world.services.settings.definitions;
  const fieldsOf = (fields: (typeof schemas)["item"]["fields"]) => ({ ...schemas, item: { ...schemas.item, fields } });
  const shapeOf = async (fields: (typeof schemas)["item"]["fields"]) => {
    world.puts.length = 0;
    world.services.settings.definitions = { ...world.services.settings.definitions, schemas: fieldsOf(fields) };
    await synchronize(world.services, "item", ["gone"], deadline);
    return world.puts.flatMap(({ records }) => records.map(({ properties }) => JSON.parse(properties)));
  };
  const id = { name: "ITEM_ID", type: "string" as const };
  const brand = { name: "BRAND_NAME", type: ["string" as const] };
  const price = { name: "PRICE", type: "float" as const };
  const year = { name: "YEAR", type: ["null" as const, "int" as const] };
  const active = { name: "IS_ACTIVE", type: "string" as const };
  assert.equal(await shapeOf([id, brand, price, year, active]), [
    { brandName: "deleted", price: 0, isActive: "False" },
  ]);
  assert.equal(await shapeOf([id, brand, price]), []);
});

test("a record that changes while it is put is put again with its new values", async () => {
  const world = syncWorld();
  world.put("item", item("b1", { PRICE: 1 }));
  world.put("item", item("b2", { PRICE: 1 }));
  world.onPut = async () => {
    if (world.puts.length === 0) world.put("item", item("b1", { PRICE: 2 }));
  };
  assert.is((await synchronize(world.services, "item", ["b1", "b2"], deadline)).size, 0);
  assert.equal(
    world.puts.map(({ records }) => records.map(({ id, properties }) => [id, JSON.parse(properties).price])),
    [
      [
        ["b1", 1],
        ["b2", 1],
      ],
      [["b1", 2]],
    ],
  );
});

test("a record that keeps changing is returned for a later retry", async () => {
  const world = syncWorld();
  let price = 0;
  world.put("item", item("b1"));
  world.onPut = async () => {
    price += 1;
    world.put("item", item("b1", { PRICE: price }));
  };
  const failed = await synchronize(world.services, "item", ["b1"], deadline);
  assert.equal([...failed], [["b1", "changed again each time it was put"]]);
  assert.is(world.puts.length, 3);
});

test("a busy dataset ends the work, and all remaining records are returned", async () => {
  const world = syncWorld();
  for (const id of ids(25)) world.put("item", item(id));
  world.onPut = async () => {
    if (world.puts.length === 1) throw sdkError("ResourceInUseException");
  };
  const failed = await synchronize(world.services, "item", ids(25), deadline);
  assert.equal([...failed.keys()], ids(25).slice(10));
  assert.is(failed.get("b24"), "Personalize is busy");
  assert.is(world.turns, 2, "no turn is spent on what is busy");
});

test("a throttled call is retried in later turns, then its records are returned", async () => {
  const world = syncWorld();
  world.put("item", item("b1"));
  let throttled = 2;
  world.onPut = async () => {
    throttled -= 1;
    if (throttled >= 0) throw sdkError("ThrottlingException");
  };
  assert.is((await synchronize(world.services, "item", ["b1"], deadline)).size, 0);
  assert.is(world.turns, 3);
  throttled = 99;
  assert.equal(
    [...(await synchronize(world.services, "item", ["b1"], deadline))],
    [["b1", "Personalize is throttled"]],
  );
});

test("a record that Personalize refuses does not hold back the others of its call", async () => {
  const world = syncWorld();
  for (const id of ids(3)) world.put("item", item(id));
  world.onPut = async ({ records }) => {
    if (records.some(({ id }) => id === "b1")) throw sdkError("InvalidInputException", "no such category");
  };
  const failed = await synchronize(world.services, "item", ids(3), deadline);
  assert.equal([...failed], [["b1", "Personalize refused it: no such category"]]);
  assert.equal(world.puts.flatMap(({ records }) => records.map(({ id }) => id)).sort(), ["b0", "b2"]);
});

test("a record of an older schema holds back no other record", async () => {
  const world = syncWorld();
  world.put("item", item("old", { PRICE: "cheap" }));
  world.put("item", item("new", { COLOUR: "red" }));
  const failed = await synchronize(world.services, "item", ["old", "new"], deadline);
  assert.equal([...failed], [["old", 'does not fit the schema: PRICE must be a number, got "cheap"']]);
  assert.equal(
    world.puts.map(({ records }) => records.map(({ id }) => id)),
    [["new"]],
  );
});

test("unreadable records are returned, and the others are put", async () => {
  const world = syncWorld();
  for (const id of ids(2)) world.put("item", item(id));
  world.unreadable.add("b1");
  const failed = await synchronize(world.services, "item", ids(2), deadline);
  assert.equal([...failed], [["b1", "down"]]);
  assert.is(world.puts.length, 1);
});

test("without time left nothing is put and all records are returned", async () => {
  const world = syncWorld();
  for (const id of ids(12)) world.put("item", item(id));
  const failed = await synchronize(world.services, "item", ids(12), deadlineIn(0));
  assert.equal([failed.size, world.puts.length], [12, 0]);
});

/** A clock that waiting advances. */
function clock() {
  const state = { now: 0 };
  return {
    state,
    options: {
      now: () => state.now,
      wait: async (ms: number) => {
        state.now += ms;
      },
    },
  };
}

test("no second has more turns than allowed, however they are requested", async () => {
  const { state, options } = clock();
  const pace = createPace(5, options);
  const turns: number[] = [];
  for (let index = 0; index < 40; index += 1) {
    if (index === 20) state.now += 3_000;
    assert.ok(await pace.turn(deadlineIn(60_000, options.now)));
    turns.push(state.now);
  }
  for (const start of turns) {
    assert.ok(turns.filter((turn) => turn >= start && turn < start + 1_000).length <= 5);
  }
  assert.ok((turns.at(-1) ?? 0) < 12_000, "and it is not much slower than that");
});

test("concurrent requests get their turns one after the other", async () => {
  const pace = createPace(10, { now: () => 0, wait: async (ms) => waits.push(ms) });
  const waits: number[] = [];
  await Promise.all([1, 2, 3].map(() => pace.turn(deadlineIn(60_000))));
  assert.equal(waits.map(Math.round), [110, 220]);
});

test("a turn that would come too late is refused and left for another caller", async () => {
  const { options } = clock();
  const pace = createPace(1, options);
  assert.ok(await pace.turn(deadlineIn(100, options.now)));
  assert.not.ok(await pace.turn(deadlineIn(100, options.now)));
  assert.ok(await pace.turn(deadlineIn(5_000, options.now)));
});

test.run();
