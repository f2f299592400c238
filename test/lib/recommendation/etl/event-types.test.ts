import * as assert from "uvu/assert";
import type { EventTypeChoice } from "../../../../lib/settings/event-types.ts";
import { suite } from "../../../suite.ts";
import { DEFINITIONS, event, readManifest, rowsOf, STARTED, world } from "./run.ts";

const test = suite("the event types that ETL imports");

/** Thirteen types: t1 with one event, t2 with two, and so on, spread over two days. */
const TYPES = Array.from({ length: 13 }, (_, index) => `t${index + 1}`);
const EVENTS = TYPES.flatMap((type, index) =>
  Array.from({ length: index + 1 }, (_, copy) =>
    event(`${type}-${copy}`, { EVENT_TYPE: type, IMPRESSION: "B1|B2", ITEM_ID: type === "t1" ? "rare" : "B1" }),
  ),
);

function newWorld(event_types?: EventTypeChoice) {
  const made = world();
  made.events("2025-03-01", "a", EVENTS.slice(0, 40));
  made.events("2025-03-02", "b", [...EVENTS.slice(40), ...EVENTS.slice(0, 3)]);
  made.deploy({ ...DEFINITIONS, ...(event_types && { event_types }) });
  return made;
}

/** Runs ETL and returns the types of the imported rows, and the manifest. */
async function imported(of: ReturnType<typeof world>, run: string, mode = "init") {
  await of.run(run, { mode, checks: [{ name: "all" }, { name: "t12", event_type: "t12" }] });
  const manifest = await readManifest(of.store, run);
  assert.ok(manifest);
  const column = DEFINITIONS.schemas.interaction.fields.findIndex(({ name }) => name === "EVENT_TYPE");
  const rows = rowsOf(of.store, run, "interactions").map((row) => JSON.parse(row.split(",")[column] ?? ""));
  return { manifest, rows, types: [...new Set(rows)].sort(), eventTypes: of.popular.last?.eventTypes };
}

test("imports the named types and the most frequent others that fit, and says what it leaves out", async () => {
  const made = newWorld({ named: ["t2", "absent"], others: true, most: 4 });
  const { manifest, rows, types, eventTypes } = await imported(made, "r");
  assert.equal(types, ["t11", "t12", "t13", "t2"]);
  assert.equal([manifest.interaction.rows, rows.length], [38, 38]);
  assert.equal(manifest.event_types, { t13: 13, t12: 12, t11: 11, t2: 2 });
  assert.equal(manifest.event_types_left_out, { t10: 10, t9: 9, t8: 8, t7: 7, t6: 6, t5: 5, t4: 4, t3: 3, t1: 1 });
  assert.equal([...(eventTypes ?? [])].sort(), types);
  // The recipes learn from what is imported; a repeated event counts once, whatever its type.
  assert.equal(manifest.checks[0]?.interactions, 38);
  assert.equal([manifest.duplicates, manifest.impressions_left_out], [3, 38]);
});

test("counts popular items over all events that are stored", async () => {
  const made = newWorld({ named: ["t13"], others: false, most: 8 });
  await imported(made, "r");
  assert.equal(made.popular.last?.items, [
    { item_id: "B1", events: 90 },
    { item_id: "rare", events: 1 },
  ]);
});

test("imports only the named types where no recipe or filter needs others", async () => {
  const { types, manifest } = await imported(newWorld({ named: ["t1", "t13"], others: false, most: 8 }), "r");
  assert.equal(types, ["t1", "t13"]);
  assert.is(Object.keys(manifest.event_types_left_out).length, 11);
});

test("leaves out the last of more named types than fit, but none that has no events", async () => {
  const choice = { named: ["absent", "t3", "t2", "t1"], others: false, most: 2 };
  assert.equal((await imported(newWorld(choice), "r")).types, ["t2", "t3"]);
});

test("imports all types that fit, and all without a choice", async () => {
  for (const choice of [undefined, { named: [], others: true, most: 13 }]) {
    const { types, manifest } = await imported(newWorld(choice), "r");
    assert.equal([types.length, manifest.event_types_left_out], [13, {}]);
  }
});

test("a later choice brings stored events back, without transforming them again", async () => {
  const made = newWorld({ named: ["t1"], others: false, most: 8 });
  assert.equal((await imported(made, "one")).types, ["t1"]);
  made.deploy({ ...DEFINITIONS, event_types: { named: ["t4", "t5"], others: false, most: 8 } });
  const planned = await made.call({ task: "plan", run: "two", startedAt: STARTED, mode: "init", checks: [] });
  const reads: { task: string }[] = JSON.parse(made.store.text(String(Reflect.get(planned, "readsKey"))));
  assert.is(reads.filter(({ task }) => task === "transform").length, 0);
  assert.equal((await imported(made, "two")).types, ["t4", "t5"]);
});

test.run();
