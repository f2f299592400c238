import * as assert from "uvu/assert";
import { suite } from "../../../suite.ts";
import { failureOf } from "../../personalize/resources/managed.ts";
import type { MemoryStore } from "./memory.ts";
import { DEFINITIONS, event, ITEM, readManifest, rowsOf, USER, world } from "./run.ts";

const test = suite("repeated ETL run");

/** A world with a few days of ordinary events, duplicates and rejects. */
function filled() {
  // Three segments of each table: of items, one has a record, one a reject and one nothing.
  const made = world({ tableBytes: 7e8 });
  made.events("2025-02-28", "a", [event("e1"), event("e2")]);
  made.events("2025-03-01", "a", `${JSON.stringify(event("e2"))}\nbroken\n`);
  made.events("2025-03-02", "a", [event("e3", { IMPRESSION: "B1" })], true);
  made.records.user = Array.from({ length: 25 }, (_, index) => ({ ...USER, USER_ID: `U${index}` }));
  made.records.item = [ITEM, { ITEM_ID: "B2" }];
  return made;
}

test("writes the same bytes after a kill at any write, when restarted under the same name", async () => {
  const whole = filled();
  const left = leftByKills(whole.store);
  await whole.run("r1");
  const expected = outcome(whole.store.texts("etl/"));
  assert.ok(left.length > 20);
  for (const [index, objects] of left.slice(0, -1).entries()) {
    const { store, run } = filled();
    for (const [key, body] of objects) store.objects.set(key, body);
    await run("r1");
    assert.equal(outcome(store.texts("etl/")), expected, `killed after ${index + 1} writes`);
  }
});

/** Collects what a store holds after each write, which is what a kill at that moment leaves. */
function leftByKills(store: MemoryStore): ReadonlyMap<string, Buffer>[] {
  const left: ReadonlyMap<string, Buffer>[] = [];
  const write = store.write.bind(store);
  store.write = (key, body) => {
    const written = write(key, body);
    left.push(new Map(store.objects));
    return written;
  };
  return left;
}

test("resumes after a kill under another name, without retransforming finished groups", async () => {
  const whole = filled();
  await whole.run("r2");
  const { store, run } = filled();
  store.writesLeft = 9;
  await run("r1").catch(() => undefined);
  store.writesLeft = Number.POSITIVE_INFINITY;
  const finished = Object.keys(store.texts("etl/days/")).filter((key) => key.endsWith(".json"));
  assert.ok(finished.length > 0, "the kill came before any group was done");
  store.written = [];
  await run("r2");
  assert.not(store.written.some((key) => finished.includes(key) && !/days\/[^/]*$/.test(key)));
  assert.equal(outcome(store.texts("etl/run=r2/")), outcome(whole.store.texts("etl/run=r2/")));
});

test("does not write a day whose objects have not changed", async () => {
  const { store, run } = filled();
  await run("r1");
  store.written = [];
  await run("r2");
  assert.equal(
    store.written.filter((key) => key.startsWith("etl/days/")),
    [],
  );
  assert.equal(rowsOf(store, "r2", "interactions"), rowsOf(store, "r1", "interactions"));
});

test("retransforms a day when an object was added, replaced or removed, and removes the earlier files", async () => {
  const { store, events, run } = filled();
  await run("r1");
  const before = Object.keys(store.texts("etl/days/2025-02-28/"));
  events("2025-02-28", "b", [event("e4")]);
  await run("r2");
  assert.is(rowsOf(store, "r2", "interactions").length, 4);
  events("2025-02-28", "b", [event("e5"), event("e6")]);
  await run("r3");
  assert.is(rowsOf(store, "r3", "interactions").length, 5);
  store.objects.delete("events/2025/02/28/13/b");
  await run("r4");
  assert.is(rowsOf(store, "r4", "interactions").length, 3);
  assert.equal(Object.keys(store.texts("etl/days/2025-02-28/")), before);
});

test("retransforms the days of force_reprocess_lookback_days even if nothing has changed", async () => {
  const { store, events, run } = world({ env: { FORCE_REPROCESS_LOOKBACK_DAYS: 2 } });
  for (const day of ["2025-02-28", "2025-03-01", "2025-03-02"]) events(day, "a", [event(day)]);
  await run("r1");
  store.written = [];
  await run("r2");
  const days = store.written.map((key) => /^etl\/days\/([^/]+)\/[0-9a-f]+-0001\.json$/.exec(key)?.[1]);
  assert.equal(
    days.filter((day) => day !== undefined),
    ["2025-03-01", "2025-03-02"],
  );
});

test("retransforms every day when the schema has changed", async () => {
  const { store, events, deploy, run } = world();
  const old = { ...event("e1"), DEVICE: "tv" };
  events("2025-03-01", "a", [old]);
  await run("r1");
  const changed = structuredClone(DEFINITIONS);
  changed.schemas.interaction.fields.push({ name: "DEVICE", type: ["null", "string"] });
  changed.etl.interaction.columns.push({ name: "DEVICE", type: "string", nullable: true, multiple: false });
  deploy(changed);
  await run("r2");
  assert.equal(rowsOf(store, "r1", "interactions"), ['"U1","B1","view",,1740000000,']);
  assert.equal(rowsOf(store, "r2", "interactions"), ['"U1","B1","view",,1740000000,,"tv"']);
});

test("uses the schema with which it was planned, whatever is deployed in the meantime", async () => {
  const { store, call, events, deploy } = world();
  events("2025-03-01", "a", [event("e1")]);
  await call({ task: "plan", run: "r1", startedAt: "2025-03-02T08:00:00.000Z", mode: "init", checks: [] });
  const changed = structuredClone(DEFINITIONS);
  changed.schemas.interaction.fields.push({ name: "DEVICE", type: "string" });
  deploy(changed);
  const [task] = JSON.parse(store.text("etl/run=r1/plan/reads.json"));
  assert.equal(await call(task), { done: true, rows: 1, rejected: 0 });
});

test("fails with the reason of a failed group, even though the map step tolerated it", async () => {
  const { store, events, run } = world();
  events("2025-03-01", "a", [event("e1")]);
  const write = store.write.bind(store);
  store.write = (key, body) =>
    key.endsWith(".parquet") && !key.includes("/ids-") ? Promise.reject(new Error("disk on fire")) : write(key, body);
  assert.match(
    await failureOf(run("r1")),
    /^EtlError: 1 of 3 parts of the data were not read\. 2025-03-01\/[0-9a-f]+-0001: Error: disk on fire$/,
  );
  assert.is(await readManifest(store, "r1"), undefined);
});

test("fails with the reason of a failed shard and of a failed scan", async () => {
  const { store, run } = world();
  const write = store.write.bind(store);
  store.write = (key, body) =>
    key.includes("shard-00000.parquet") ? Promise.reject(new Error("full")) : write(key, body);
  assert.is(await failureOf(run("r1")), "EtlError: 1 of 1 shards of events were not written. shard-00000: Error: full");
  store.write = (key, body) => (key.includes("/users/") ? Promise.reject(new Error("no space")) : write(key, body));
  assert.is(await failureOf(run("r2")), "EtlError: 1 of 2 parts of the data were not read. user-0000: Error: no space");
});

test("fails if transformed events have been removed since", async () => {
  const { store, events, run } = world();
  events("2025-03-01", "a", [event("e1"), event("e2")]);
  events("2025-03-02", "a", [event("e3")]);
  await run("r1");
  for (const key of store.objects.keys()) if (/days\/2025-03-01\/.*\.parquet$/.test(key)) store.objects.delete(key);
  assert.match(await failureOf(run("r2")), /^EtlError: 3 events were transformed, but 1 were written and 0 dropped/);
  assert.is(await readManifest(store, "r2"), undefined);
});

test("reads no schema from the bucket, which deploy writes before the datasets have changed", async () => {
  const { store, events, run } = world();
  store.objects.set("configuration/schema/interaction_schema.json", Buffer.from('{"nonsense":true}'));
  events("2025-03-01", "a", [event("e1")]);
  await run("r1");
  assert.equal(rowsOf(store, "r1", "interactions"), ['"U1","B1","view",,1740000000,']);
});

test("refuses an input that is not a step", async () => {
  assert.match(await failureOf(world().call({ task: "dance" })), "EtlError: The input is not a step of ETL");
});

/** Everything that a run leaves except traces of its course: reasons of failures, and groups that were to do. */
function outcome(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([key]) => !/\.error\.txt$|plan\/reads\.json$/.test(key)));
}

test.run();
