import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { partsMerger } from "../../../../lib/recommendation/ingest/merge.ts";
import { suite } from "../../../suite.ts";
import { syncWorld } from "../sync-world.ts";

const test = suite("partial records are merged with the stored ones");

const STORED = { ITEM_ID: "b1", TITLE: "Sea", PRICE: 4, OLD_COLUMN: "kept", IS_ACTIVE: "True" };

/** Merges parts of items into a table with one record. */
async function merged(...parts: readonly unknown[]) {
  const world = syncWorld();
  world.put("item", STORED);
  world.unreadable.add("unread");
  const { settings, records } = world.services;
  return partsMerger("item", settings.definitions)(records, parts, deadlineIn(1_000));
}

for (const [what, parts, change] of [
  ["a part changes the columns that it has", [{ ITEM_ID: "b1", PRICE: 5 }], { set: { PRICE: 5 }, remove: [] }],
  ["null removes a value", [{ ITEM_ID: "b1", PRICE: null }], { set: {}, remove: ["PRICE"] }],
  [
    "parts of one record are merged in their order",
    [
      { ITEM_ID: "b1", PRICE: 5, TITLE: "Salt" },
      { ITEM_ID: "b1", PRICE: 6 },
    ],
    { set: { PRICE: 6, TITLE: "Salt" }, remove: [] },
  ],
] as const) {
  test(what, async () => {
    const { parsed, changes } = await merged(...parts);
    assert.equal([...new Set(parsed.map((one) => "record" in one && one.record))], ["b1"]);
    assert.equal(changes, [{ id: "b1", ...change, defaults: [], mustExist: true }]);
  });
}

test("an id without a record gets a new one, active unless the part says otherwise", async () => {
  const { changes } = await merged({ ITEM_ID: "b2", TITLE: "Dune" }, { ITEM_ID: "b3", IS_ACTIVE: "False" });
  assert.equal(
    changes.map(({ id, set, defaults, mustExist }) => ({ id, set, defaults, mustExist })),
    [
      { id: "b2", set: { TITLE: "Dune", IS_ACTIVE: "True" }, defaults: ["IS_ACTIVE"], mustExist: false },
      { id: "b3", set: { IS_ACTIVE: "False" }, defaults: [], mustExist: false },
    ],
  );
});

test("parts that are no records are refused one by one, and change nothing", async () => {
  const { parsed, changes } = await merged("b1", { TITLE: "without an id" }, { ITEM_ID: "b1", PRICE: "dear" });
  const paths = parsed.map((one) => ("issues" in one ? one.issues.map(({ path }) => path) : one));
  assert.equal([paths.slice(1), changes], [[["ITEM_ID"], ["PRICE"]], []]);
});

test("a record that could not be read is reported and not changed", async () => {
  const { parsed, changes, unread } = await merged({ ITEM_ID: "unread", PRICE: 5 });
  assert.equal([parsed, changes, unread.get("unread")?.reason], [[{ record: "unread" }], [], "down"]);
});

test.run();
