import * as assert from "uvu/assert";
import { eventParser } from "../../../../lib/recommendation/records/event.ts";
import { suite } from "../../../suite.ts";
import { DEFINITIONS, event, ITEM, readManifest, rowsOf, USER, world } from "./run.ts";

const test = suite("ETL run");

test("writes the interactions with the schema's header, quoting what CSV needs", async () => {
  const { store, events, run } = world();
  events("2025-03-01", "a", [
    event("e1", { EVENT_TYPE: "buy, now", EVENT_VALUE: 12.5, IMPRESSION: "B1|B2" }),
    event("e2", { USER_ID: 'U"2' }),
  ]);
  await run("r1");
  const [text = ""] = Object.values(store.texts("etl/run=r1/interactions/"));
  const [header, ...rows] = text.trimEnd().split("\n");
  assert.is(header, "USER_ID,ITEM_ID,EVENT_TYPE,EVENT_VALUE,TIMESTAMP,IMPRESSION");
  assert.equal(rows.sort(), ['"U1","B1","buy, now",12.5,1740000000,', '"U\\"2","B1","view",,1740000000,']);
});

test("fills IMPRESSION in mode update_dataset_group, from the same transformed rows, and counts those that init leaves out", async () => {
  const { store, events, run } = world();
  events("2025-03-01", "a", [event("e1", { IMPRESSION: "B1|B2" }), event("e2"), event("e3", { IMPRESSION: "B3" })]);
  await run("r1", { mode: "init" });
  await run("r2", { mode: "update_dataset_group" });
  const impressions = (name: string) => rowsOf(store, name, "interactions").map((row) => row.split(",")[5]);
  assert.equal(impressions("r1"), ["", "", ""]);
  assert.equal(impressions("r2").sort(), ["", '"B1|B2"', '"B3"']);
  const counted = async (name: string) => (await readManifest(store, name))?.impressions_left_out;
  assert.equal([await counted("r1"), await counted("r2")], [2, 0]);
});

test("writes users and items with the fields of their schemas", async () => {
  const { store, run } = world();
  await run("r1");
  assert.equal(store.texts("etl/run=r1/users/"), {
    "etl/run=r1/users/0000-00000.csv":
      'IS_ACTIVE,USER_ID,GENDER,AGE,LOCATION,MEMBERSHIP_ID\n"True","U1","F",34,10115,"M-1"\n',
  });
  assert.equal(store.texts("etl/run=r1/items/"), {
    "etl/run=r1/items/0000-00000.csv":
      'IS_ACTIVE,TEXTUAL_FIELD,ITEM_ID,AUTHOR,CATEGORIES\n"True","A \\"quoted\\", title","B1","Ada","a|b"\n',
  });
});

test("keeps the first of events with the same EVENT_ID, across days", async () => {
  const { store, events, run } = world();
  events("2025-02-28", "a", [event("e1", { ITEM_ID: "first" })]);
  events("2025-03-01", "a", [event("e1", { ITEM_ID: "second" }), event("e2"), event("e2")]);
  await run("r1");
  const manifest = await readManifest(store, "r1");
  assert.is(manifest?.duplicates, 2);
  assert.equal(rowsOf(store, "r1", "interactions").sort(), [
    '"U1","B1","view",,1740000000,',
    '"U1","first","view",,1740000000,',
  ]);
});

test("counts events that name items and users that are not stored", async () => {
  const { store, records, events, run } = world();
  const lines = ["B1", "x", "x", "y", "z", "w"].map((ITEM_ID, index) => event(`e${index}`, { ITEM_ID }));
  events("2025-03-01", "a", [...lines, event("e9", { USER_ID: "U9" })]);
  await run("r1");
  const counted = async (name: string) => (await readManifest(store, name))?.unknown;
  assert.equal(await counted("r1"), { items: 5, users: 1, examples: ["x", "w", "y"] });
  records.user = [];
  records.item = [];
  await run("r2");
  assert.equal(await counted("r2"), { items: 7, users: 0, examples: ["B1", "x", "w"] });
});

test("reads as many days back as configured, including the day of the start", async () => {
  const { store, events, run } = world();
  for (const day of ["2025-02-27", "2025-02-28", "2025-03-01", "2025-03-02", "2025-03-03"]) {
    events(day, "a", [event(day, { ITEM_ID: day })]);
  }
  await run("r1");
  const items = rowsOf(store, "r1", "interactions").map((row) => row.split('"')[3]);
  assert.equal(items.sort(), ["2025-02-28", "2025-03-01", "2025-03-02"]);
});

test("puts invalid rows into a rejects file with place and reason, and counts them", async () => {
  const { store, events, run } = world();
  events("2025-03-01", "a", `${JSON.stringify(event("e1"))}\nnot json\n\n{"EVENT_ID":"e2","USER_ID":"U1"}\n`);
  await run("r1");
  const manifest = await readManifest(store, "r1");
  assert.equal([manifest?.interaction.rows, manifest?.interaction.rejected], [1, 2]);
  const lines = store
    .text(manifest?.interaction.rejects[0] ?? "")
    .trimEnd()
    .split("\n");
  assert.equal(
    lines.map((line) => JSON.parse(line)),
    [
      { source: "events/2025/03/01/13/a", line: 2, reason: "is not JSON", row: "not json" },
      {
        source: "events/2025/03/01/13/a",
        line: 4,
        reason: "ITEM_ID is missing; EVENT_TYPE is missing; TIMESTAMP is missing",
        row: '{"EVENT_ID":"e2","USER_ID":"U1"}',
      },
    ],
  );
});

test("rejects events from October 2096 to the year 5138 with the words of the API, and keeps one before", async () => {
  const later = [4_000_000_000, 30_000_000_000, 99_999_999_999];
  const lines = later.map((TIMESTAMP) => JSON.stringify(event(`e${TIMESTAMP}`, { TIMESTAMP })));
  // A line that is not JSON makes ETL read every line of the object on its own.
  for (const others of [lines, [...lines, "not json"]]) {
    const { store, events, run } = world();
    events("2025-03-01", "a", `${JSON.stringify(event("e1", { TIMESTAMP: 3_999_999_999 }))}\n${others.join("\n")}\n`);
    await run("r1");
    assert.equal(rowsOf(store, "r1", "interactions"), ['"U1","B1","view",,3999999999,']);
    const { interaction } = (await readManifest(store, "r1")) ?? {};
    const rejects = store
      .text(interaction?.rejects[0] ?? "")
      .trimEnd()
      .split("\n");
    for (const [index, line] of lines.entries()) {
      const parsed = eventParser(DEFINITIONS, undefined, "ignore")(JSON.parse(line));
      const [issue] = "issues" in parsed ? parsed.issues : [];
      assert.match(issue?.message ?? "", `${later[index]}, which is later than the year 2096`);
      assert.is(JSON.parse(rejects[index] ?? "").reason, `TIMESTAMP ${issue?.message}`);
    }
  }
});

test("rejects a stored user that the schema no longer fits, and keeps the others", async () => {
  const { store, records, run } = world();
  records.user = [USER, { USER_ID: "U2", GENDER: "F" }];
  await run("r1");
  const manifest = await readManifest(store, "r1");
  assert.equal([manifest?.user.rows, manifest?.user.rejected], [1, 1]);
  assert.match(store.text(manifest?.user.rejects[0] ?? ""), "AGE is missing");
});

test("counts event types, and for each recipe the events that match its event type and threshold", async () => {
  const { store, events, run } = world();
  events("2025-03-01", "a", [
    event("e1", { EVENT_TYPE: "rating", EVENT_VALUE: 4 }),
    event("e2", { EVENT_TYPE: "rating", EVENT_VALUE: 3.5 }),
    event("e3", { EVENT_TYPE: "rating", EVENT_VALUE: 3, USER_ID: "U2" }),
    event("e4", { EVENT_TYPE: "rating", USER_ID: "U2" }),
    event("e5", { USER_ID: "U3" }),
  ]);
  await run("r1", {
    checks: [
      { name: "user_personalization", event_type: "rating", event_value_threshold: 3.5 },
      { name: "similar_items", event_type: "rating" },
      { name: "personalized_ranking" },
    ],
  });
  const manifest = await readManifest(store, "r1");
  assert.equal(manifest?.event_types, { rating: 4, view: 1 });
  assert.equal(manifest?.checks, [
    { name: "user_personalization", interactions: 2, users: 1, users_with_two: 1 },
    { name: "similar_items", interactions: 4, users: 2, users_with_two: 2 },
    { name: "personalized_ranking", interactions: 5, users: 3, users_with_two: 2 },
  ]);
});

test("returns the popular items, most popular first, and keeps them with the run", async () => {
  const { store, popular, events, run } = world();
  events("2025-03-01", "a", [
    event("e1", { ITEM_ID: "B2" }),
    event("e2", { ITEM_ID: "B3" }),
    event("e3", { ITEM_ID: "B3" }),
    event("e4", { ITEM_ID: "B1" }),
  ]);
  await run("r1");
  assert.equal(popular.last, {
    run: "r1",
    items: [
      { item_id: "B3", events: 2 },
      { item_id: "B1", events: 1 },
      { item_id: "B2", events: 1 },
    ],
    newest: [],
    eventTypes: ["view"],
  });
  assert.equal(JSON.parse(store.text("etl/run=r1/popular-items.json")), popular.last);
});

test("completes without events, users and items", async () => {
  const { store, records, run } = world();
  records.user = [];
  records.item = [];
  await run("r1");
  const manifest = await readManifest(store, "r1");
  assert.equal(
    [manifest?.user.files, manifest?.item.files, manifest?.interaction.files, manifest?.interaction.rows],
    [[], [], [], 0],
  );
});

test("scans a table of many pages and segments, each record once", async () => {
  const { store, records, run } = world({ tableBytes: 1e9 });
  records.user = Array.from({ length: 105 }, (_, index) => ({ ...USER, USER_ID: `U${index}` }));
  await run("r1");
  const ids = rowsOf(store, "r1", "users").map((row) => row.split(",")[1]);
  assert.equal([ids.length, new Set(ids).size], [105, 105]);
  assert.is(Object.keys(store.texts("etl/run=r1/users/")).length, 4);
});

test("writes the manifest last", async () => {
  const { store, events, run } = world();
  events("2025-03-01", "a", [event("e1")]);
  await run("r1");
  assert.is(store.written.at(-1), "etl/run=r1/manifest.json");
});

test("leaves only imported files in the folders to import", async () => {
  const { store, events, run } = world();
  events("2025-03-01", "a", [event("e1")]);
  store.objects.set("etl/run=r1/interactions/00009-0000.csv", Buffer.from("left by an attempt before"));
  await run("r1");
  assert.equal(Object.keys(store.texts("etl/run=r1/interactions/")), ["etl/run=r1/interactions/00000.csv"]);
});

test("lists the newest items of all files, if the items have a time", async () => {
  const { schemas, etl } = DEFINITIONS;
  const field = { name: "CREATION_TIMESTAMP", type: ["null", "long"] as const };
  const column = { name: field.name, type: "long" as const, nullable: true, multiple: false };
  const item = { ...schemas.item, fields: [...schemas.item.fields, { ...field, type: [...field.type] }] };
  const definitions = {
    schemas: { ...schemas, item },
    etl: { ...etl, item: { ...etl.item, columns: [...etl.item.columns, column] } },
  };
  const { popular, records, events, run, deploy } = world();
  deploy(definitions);
  records.item = [5, undefined, 7, 6].map((created, index) => {
    return { ...ITEM, ITEM_ID: `B${index}`, ...(created && { CREATION_TIMESTAMP: created }) };
  });
  events("2025-03-01", "a", [event("e1")]);
  await run("r1");
  assert.equal(popular.last?.newest, ["B2", "B3", "B0"]);
});

test.run();
