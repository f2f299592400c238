import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { withItemCache } from "../../../../lib/recommendation/clients/item-cache.ts";
import type { RecordStore } from "../../../../lib/recommendation/clients/record-store.ts";
import { suite } from "../../../suite.ts";

const test = suite("cache of item records");

const deadline = deadlineIn(20_000);

function world({ maxSize = 1_000_000 } = {}) {
  const clock = { now: 0 };
  const table = new Map<string, Record<string, string>>();
  const reads: Array<{ dataset: string; ids: readonly string[] }> = [];
  const failing = new Set<string>();
  const store: RecordStore = {
    async read(dataset, ids) {
      reads.push({ dataset, ids });
      const unread = new Set(ids.filter((id) => failing.has(id)));
      const found = ids.flatMap((id) => {
        const record = unread.has(id) ? undefined : table.get(id);
        return record ? [[id, record] as const] : [];
      });
      const failure = unread.size > 0 ? { reason: "throttled", cause: "x", isUnknown: false } : undefined;
      return { records: new Map(found), unread, failure };
    },
    async write(_dataset, records) {
      for (const record of records) table.set(String(record.ITEM_ID), record as Record<string, string>);
      return new Map();
    },
    async remove(_dataset, ids) {
      for (const id of ids) table.delete(id);
      return new Map();
    },
    async merge(_dataset, changes) {
      for (const { id, set } of changes) table.set(id, { ...table.get(id), ...(set as Record<string, string>) });
      return new Map();
    },
  };
  const put = (id: string, TITLE = id) => table.set(id, { ITEM_ID: id, TITLE });
  const cached = withItemCache(store, { ttlMs: 10_000, maxSize, now: () => clock.now });
  const titles = async (...ids: string[]) => {
    const { records } = await cached.read("item", ids, deadline);
    return ids.map((id) => records.get(id)?.TITLE);
  };
  return { clock, reads, failing, put, cached, titles };
}

test("a record is read once in ten seconds, and only records missing from the cache are requested", async () => {
  const { clock, reads, put, titles } = world();
  for (const id of ["a", "b", "c"]) put(id);
  assert.equal(await titles("a", "b"), ["a", "b"]);
  assert.equal(await titles("b", "c", "a"), ["b", "c", "a"]);
  assert.equal(await titles("a", "b", "c"), ["a", "b", "c"]);
  assert.equal(
    reads.map(({ ids }) => ids),
    [["a", "b"], ["c"]],
  );
  clock.now += 10_000;
  put("a", "changed");
  assert.equal(await titles("a"), ["changed"]);
});

test("an id without a record or with a failed read is not cached", async () => {
  const { put, failing, titles, cached } = world();
  put("broken");
  failing.add("broken");
  const { unread, failure } = await cached.read("item", ["broken", "new"], deadline);
  assert.equal([[...unread], failure?.reason], [["broken"], "throttled"]);
  failing.clear();
  put("new");
  assert.equal(await titles("broken", "new"), ["broken", "new"]);
});

test("a record written through the cache is read again at once", async () => {
  const { put, titles, cached } = world();
  put("a");
  await titles("a");
  await cached.write("item", [{ ITEM_ID: "a", TITLE: "written" }], deadline);
  assert.equal(await titles("a"), ["written"]);
});

test("users and consistent reads always go to the table", async () => {
  const { put, reads, cached } = world();
  put("a");
  for (let i = 0; i < 2; i += 1) {
    await cached.read("user", ["a"], deadline);
    await cached.read("item", ["a"], deadline, { consistent: true });
  }
  assert.is(reads.length, 4);
});

test("records that were read first are dropped when the cache becomes too large", async () => {
  const { put, reads, titles } = world({ maxSize: 2_500 });
  for (const id of ["a", "b", "c"]) put(id, id.repeat(1_000));
  await titles("a");
  await titles("b");
  await titles("c");
  await titles("b", "c");
  assert.is(reads.length, 3);
  await titles("a");
  assert.is(reads.length, 4);
});

test("a record that is merged or removed here is read again", async () => {
  const { put, cached, titles } = world();
  for (const id of ["a", "b"]) put(id);
  assert.equal(await titles("a", "b"), ["a", "b"]);
  await cached.merge("item", [{ id: "a", set: { TITLE: "new" }, remove: [], defaults: [], mustExist: true }], deadline);
  await cached.remove("item", ["b"], deadline);
  assert.equal(await titles("a", "b"), ["new", undefined]);
});

test.run();
