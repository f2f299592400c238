import * as assert from "uvu/assert";
import type { RunCalls } from "../../../../../lib/search/index/rebuild/run-calls.ts";
import type { RunRecord } from "../../../../../lib/search/index/rebuild/run-record.ts";
import { holdWrites, releaseLeftHolds, releaseWrites } from "../../../../../lib/search/index/rebuild/switch.ts";
import { holdAlias, holdPattern } from "../../../../../lib/search/index-meta/index-meta.ts";
import { suite } from "../../../../suite.ts";

const test = suite("the switch of a rebuild");

test("a hold is announced before writes are blocked, and says whether every shard has blocked them", async () => {
  for (const shards_acknowledged of [true, false]) {
    const sent: string[] = [];
    const json: RunCalls["json"] = async ({ method, path, body }) => {
      sent.push(`${method} ${path} ${body ?? null}`);
      if (method === "GET") return path.startsWith("/name") ? { old: {} } : { new: {} };
      return { shards_acknowledged };
    };
    const run = { name: "name", source: "old", target: "new" } as RunRecord;
    const held = await holdWrites({ json } as RunCalls, run, 5);
    if ("rival" in held) throw new Error("there is no other run");
    const { hold, blocked } = held;
    assert.equal(sent, [
      `POST /_aliases ${JSON.stringify({ actions: [{ add: { index: "new", alias: hold.alias } }] })}`,
      "GET /name/_alias null",
      `GET /_alias/${encodeURIComponent(holdPattern("old"))} null`,
      "PUT /old/_block/write null",
    ]);
    assert.equal([hold.until, blocked], [5, shards_acknowledged]);
  }
});

const RUN = { source: "old", target: "new" } as RunRecord;
const hold = (until: number) => ({ until, alias: holdAlias("old", until) });

type Change = Partial<Record<"add" | "remove", { alias: string; must_exist?: boolean }>>;

/** A cluster with a blocked old index and a new one with these aliases, or none. It changes aliases together or not at all. */
function blocked(aliases: string[] | undefined) {
  const state = { aliases: aliases && new Set(aliases), isBlocked: true };
  const json = async ({ method, path, body }: Parameters<RunCalls["json"]>[0]) => {
    if (path.startsWith("/old/_settings")) {
      assert.equal(JSON.parse(String(body)), { "index.blocks.write": null });
      state.isBlocked = false;
      return {};
    }
    const { aliases: held } = state;
    if (!held) return { error: { type: "index_not_found_exception" }, status: 404 };
    if (method === "GET") return { new: { aliases: Object.fromEntries([...held].map((alias) => [alias, {}])) } };
    const actions: Change[] = JSON.parse(String(body)).actions;
    if (actions.some(({ remove }) => remove?.must_exist && !held.has(remove.alias))) {
      return { error: { type: "aliases_not_found_exception" }, status: 404 };
    }
    for (const { add, remove } of actions) {
      if (remove) held.delete(remove.alias);
      if (add) held.add(add.alias);
    }
    return {};
  };
  return { state, calls: { json } as RunCalls };
}

test("a process ends its own hold: no gateway's call is on the way", async () => {
  const { state, calls } = blocked([hold(5).alias]);
  assert.is(await releaseWrites(calls, RUN, hold(5)), false);
  assert.equal(state, { aliases: new Set(), isBlocked: false });
});

test("a hold that a gateway has ended is lifted here too, and the next one must wait", async () => {
  const { state, calls } = blocked([hold(0).alias, hold(9).alias]);
  assert.is(await releaseWrites(calls, RUN, hold(5)), true);
  assert.equal(state, { aliases: new Set([hold(9).alias]), isBlocked: false });
});

test("a hold that a gateway has ended and lifted leaves the block of another alone", async () => {
  const { state, calls } = blocked([hold(9).alias]);
  assert.is(await releaseWrites(calls, RUN, hold(5)), true);
  assert.equal(state, { aliases: new Set([hold(9).alias]), isBlocked: true });
});

test("the old index takes writes again if the new one is gone", async () => {
  const { state, calls } = blocked(undefined);
  assert.is(await releaseWrites(calls, RUN, hold(5)), true);
  assert.is(state.isBlocked, false);
});

test("holds of a killed process end, whether a gateway has begun to end them or not", async () => {
  for (const untils of [[0], [5], [0, 5]]) {
    const { state, calls } = blocked(untils.map((until) => hold(until).alias));
    assert.is(await releaseLeftHolds(calls, RUN), true);
    assert.equal(state, { aliases: new Set(), isBlocked: false }, String(untils));
  }
  const { state, calls } = blocked([]);
  assert.is(await releaseLeftHolds(calls, RUN), false);
  assert.is(state.isBlocked, true);
});

test.run();
