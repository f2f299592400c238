import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { heldWrites, wholeCallBlocked } from "../../../../lib/search/gateway/held-writes.ts";
import { holdAlias } from "../../../../lib/search/index-meta/index-meta.ts";
import type { ClusterAnswer } from "../../../../lib/search/opensearch/cluster.ts";
import { suite } from "../../../suite.ts";

const test = suite("held writes");

const NOW = 1_000_000;
const answer = (status: number, body: unknown): ClusterAnswer => ({
  status,
  headers: {},
  body: Buffer.from(JSON.stringify(body)),
});

/** A cluster that returns the given hold aliases on the index `old`, one for each poll. */
function clusterWith(looks: ReadonlyArray<string | undefined>, swap = 200) {
  const calls: string[] = [];
  const left = [...looks];
  const holds = heldWrites({
    cluster: {
      async send({ method, path, body }) {
        calls.push(`${method} ${path}${body === undefined ? "" : ` ${body}`}`);
        if (path === "/_aliases") return answer(swap, swap === 200 ? { acknowledged: true } : { error: "missing" });
        if (method === "PUT") return answer(200, { acknowledged: true });
        const alias = left.length > 1 ? left.shift() : left[0];
        return alias === undefined ? answer(404, {}) : answer(200, { new: { aliases: { [alias]: {} } } });
      },
    },
    deadline: deadlineIn(60_000),
    wait: async () => {},
    now: () => NOW,
  });
  return { holds, writes: () => calls.filter((call) => !call.startsWith("GET")) };
}

test("waits for the end of a hold and changes nothing", async () => {
  const hold = holdAlias("old", NOW + 5_000);
  const { holds, writes } = clusterWith([hold, hold, undefined]);
  assert.is(await holds.retry("old"), true);
  assert.equal(writes(), []);
});

test("retries once without a hold, because it may just have ended", async () => {
  const { holds } = clusterWith([undefined]);
  assert.is(await holds.retry("old"), true);
  assert.is(await holds.retry("old"), false);
});

test("ignores the hold of another index", async () => {
  const { holds } = clusterWith([holdAlias("x-of-old", NOW - 1)]);
  assert.is(await holds.retry("old"), true);
  assert.is(await holds.retry("old"), false);
});

test("ends an expired hold before it lifts the block", async () => {
  const { holds, writes } = clusterWith([holdAlias("old", NOW - 1), undefined]);
  assert.is(await holds.retry("old"), true);
  const [swap = "", unblock = "", done = ""] = writes();
  assert.match(swap, `{"remove":{"index":"new","alias":"relevance-hold-${NOW - 1}-of-old","must_exist":true}}`);
  assert.match(swap, '{"add":{"index":"new","alias":"relevance-hold-0-of-old"}}');
  assert.is(unblock, 'PUT /old/_settings {"index.blocks.write":null}');
  assert.match(done, '"remove":{"index":"new","alias":"relevance-hold-0-of-old"}');
});

test("leaves the block alone if the run has switched at the last moment", async () => {
  const { holds, writes } = clusterWith([holdAlias("old", NOW - 1), undefined], 404);
  assert.is(await holds.retry("old"), true);
  assert.is(writes().length, 1);
});

test("lifts the block after two seconds if the one that ended the hold does not", async () => {
  const ended = holdAlias("old", 0);
  const few = clusterWith([...Array.from({ length: 9 }, () => ended), undefined]);
  assert.is(await few.holds.retry("old"), true);
  assert.equal(few.writes(), []);
  const many = clusterWith([...Array.from({ length: 11 }, () => ended), undefined]);
  assert.is(await many.holds.retry("old"), true);
  assert.is(many.writes()[0], 'PUT /old/_settings {"index.blocks.write":null}');
});

const BLOCK = { type: "cluster_block_exception", reason: "index [old] blocked by: [FORBIDDEN/8/index write (api)];" };
const MOVING = { ...BLOCK, reason: "index [old] blocked by: [FORBIDDEN/8/moving to block index write (api)];" };
const READ_ONLY = {
  type: "cluster_block_exception",
  reason: "index [old] blocked by: [FORBIDDEN/5/index read-only (api)];",
};
const item = (error?: object) => ({ index: { _id: "1", status: error ? 403 : 200, ...(error && { error }) } });

test("recognizes a blocked call by its status, or by all of its items", () => {
  assert.is(wholeCallBlocked(answer(403, { error: { ...BLOCK, root_cause: [BLOCK] }, status: 403 })), "old");
  assert.is(wholeCallBlocked(answer(200, { items: [item(MOVING), item(BLOCK)] })), "old");
  assert.is(wholeCallBlocked(answer(200, { items: [item(BLOCK), item()] })), undefined);
  assert.is(wholeCallBlocked(answer(200, { items: [item(READ_ONLY)] })), undefined);
  assert.is(wholeCallBlocked(answer(403, { error: { ...READ_ONLY, root_cause: [READ_ONLY] } })), undefined);
});

test.run();
