import * as assert from "uvu/assert";
import { cancelRun, rollBack } from "../../../../../lib/search/index/rebuild/finish.ts";
import type { ImportRecord } from "../../../../../lib/search/index/rebuild/in-place-records.ts";
import type { RunCalls } from "../../../../../lib/search/index/rebuild/run-calls.ts";
import { newRun, type RunRecord } from "../../../../../lib/search/index/rebuild/run-record.ts";
import { nameOfRun, newRunId, runIndex } from "../../../../../lib/search/index-meta/run-names.ts";
import type { ClusterRequest } from "../../../../../lib/search/opensearch/cluster.ts";
import { suite } from "../../../../suite.ts";

const test = suite("records of runs");
const NOW = new Date("2026-11-23T09:15:00Z");

test("the id of a run begins with the name that it works on, if an index can have that name", () => {
  assert.match(newRunId("books", NOW), /^books-20261123-091500-[0-9a-f]{4}$/);
  assert.is(nameOfRun(newRunId("books-20261101-080000-0abc", NOW)), "books-20261101-080000-0abc");
  for (const name of ["Books", "<books-{now/d}>", "a,b", "x".repeat(201)]) {
    assert.match(newRunId(name, NOW), /^20261123-091500-[0-9a-f]{4}$/);
  }
  assert.is(nameOfRun("20261123-091500-a1b2"), undefined);
});

/** The record of a run that has switched. */
const record = (id: string, more: Partial<RunRecord> = {}): RunRecord => ({
  ...newRun("books", NOW),
  id,
  kind: "rebuild",
  source: "books-1",
  source_uuid: "uuid of books-1",
  target: id,
  phase: "switched",
  width: 1_000,
  embed: false,
  embedding_fields: [],
  late_settings: {},
  passes: 1,
  shards: {},
  tally: { read: 0, written: 0, unchanged: 0, rejected: 0, deleted: 0 },
  ...more,
});

/** Returns the calls that a command makes for a record that somebody has written, and why it stops. `serving` is behind the name. */
async function callsFor(
  stored: object,
  id: string,
  work: (calls: RunCalls, id: string) => Promise<unknown>,
  serving = "books-1",
) {
  const made: string[] = [];
  let saved = stored;
  const calls = {
    async json({ method, path: target, body }: ClusterRequest) {
      if (method !== "GET") made.push(`${method} ${target}`);
      if (target === `/${runIndex(id)}/_doc/run`) {
        if (method !== "GET") saved = JSON.parse(String(body));
        return { _source: saved, _seq_no: 1, _primary_term: 1 };
      }
      if (target === "/books/_alias") return { [serving]: { aliases: { books: {} } } };
      const settings = { "index.uuid": "uuid of orders" };
      return target.startsWith("/orders/_settings") ? { orders: { settings } } : {};
    },
  } as unknown as RunCalls;
  const stopped = await work(calls, id).then(String, (error: Error) => error.message);
  return { made, stopped, saved: saved as Pick<RunRecord, "phase" | "epoch"> };
}

const ID = "books-20261123-091500-a1b2";

test("a command works on the index that the id names, whatever the record says", async () => {
  const forged: Array<Partial<RunRecord>> = [
    { target: "orders" },
    { name: "orders" },
    { id: "orders-20261123-091500-a1b2" },
  ];
  for (const more of forged) {
    const { made, stopped } = await callsFor(record(ID, { phase: "copy", ...more }), ID, (calls, id) =>
      cancelRun(calls, id, false),
    );
    assert.equal(made, [], JSON.stringify(more));
    assert.match(stopped, `The record of the run ${ID} is about `);
  }
});

const cancel = (forget: boolean) => (calls: RunCalls, id: string) => cancelRun(calls, id, forget);
const DELETED_RECORDS = `DELETE /${runIndex(ID)}`;
const SAVED = `PUT /${runIndex(ID)}/_doc/run`;

test("a cancelled rebuild loses its new index, and the old one takes writes", async () => {
  for (const phase of ["copy", "ready"] as const) {
    const { made, stopped, saved } = await callsFor(record(ID, { phase }), ID, cancel(false));
    assert.equal(made, [SAVED, `DELETE /${ID}`, "PUT /books-1/_settings"]);
    assert.is(stopped, `Cancelled ${ID} and deleted ${ID}.`);
    assert.equal([saved.phase, saved.epoch], ["cancelled", 1]);
  }
});

test("a rebuild that has switched without noting it is not cancelled: its new index serves", async () => {
  const { made, stopped, saved } = await callsFor(record(ID, { phase: "ready" }), ID, cancel(true), ID);
  assert.equal(made, [SAVED, SAVED]);
  assert.match(stopped, `The run ${ID} has switched already`);
  assert.is(saved.phase, "switched");
});

test("a cancelled import keeps what it has written, and has ended: --forget deletes its records", async () => {
  const copying: ImportRecord = {
    ...newRun("books", NOW),
    id: ID,
    kind: "import",
    format: "bulk",
    embed: false,
    slice_bytes: 1_000,
    since: 1,
    next: { slice: 0, file: 0, offset: 0 },
    ahead: [],
    from: "books.json",
    files: 1,
  };
  const cancelled = await callsFor(copying, ID, cancel(false));
  assert.equal([cancelled.made, cancelled.saved.phase], [[SAVED], "cancelled"], cancelled.stopped);
  const again = await callsFor(cancelled.saved, ID, cancel(false));
  assert.equal(again.made, []);
  assert.match(again.stopped, "has ended (cancelled)");
  assert.equal((await callsFor(cancelled.saved, ID, cancel(true))).made, [DELETED_RECORDS]);
});

test("nothing goes back to an old index that is gone", async () => {
  const { made, stopped } = await callsFor(record(ID), ID, rollBack);
  assert.equal([made, stopped], [[], "The old index books-1 is gone"]);
});

test("aliases go back only to the index that the run has read", async () => {
  const { made, stopped } = await callsFor(record(ID, { source: "orders" }), ID, rollBack);
  assert.equal([made, stopped], [[], "The old index orders is gone"]);
});

test.run();
