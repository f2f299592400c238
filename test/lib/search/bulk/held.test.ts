import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { sendingOf } from "../../../../lib/search/bulk/draft.ts";
import { settleChunk } from "../../../../lib/search/bulk/settle.ts";
import type { BulkTarget } from "../../../../lib/search/bulk/target.ts";
import { suite } from "../../../suite.ts";
import { requestOf } from "./support.ts";

const test = suite("bulk writes that a rebuild holds");

const TARGET: BulkTarget = { name: "books", readName: "books", itemIndex: "books-1", mappings: [], onFailure: "fail" };
const REASON = "index [books-1] blocked by: [FORBIDDEN/8/index write (api)];";

/**
 * Writes three operations to an index that refuses them at first: a plain one, one with the gateway's guard, one
 * with the caller's guard.
 */
async function write(resumes: boolean) {
  const { bytes, operations } = requestOf([
    { id: "plain", op: "index", doc: {} },
    { id: "embedded", op: "update", doc: {} },
    { id: "callers", op: "index", doc: {}, if_seq_no: 4, if_primary_term: 1 },
  ]);
  const [plain, embedded, callers] = operations;
  if (!plain || !embedded || !callers) throw new Error("three operations");
  const drafts = [
    { operation: plain, changes: {} },
    { operation: embedded, changes: {}, guard: { seqNo: 7, primaryTerm: 1 } },
    { operation: callers, changes: {}, guard: { seqNo: 4, primaryTerm: 1 } },
  ];
  const bodies: string[] = [];
  const settled = await settleChunk(
    {
      cluster: {
        async send({ body }) {
          const first = bodies.length === 0;
          bodies.push(String(body));
          const ids = [...String(body).matchAll(/"(index|update)":\{"_id":"(\w+)"/g)];
          const items = ids.map(([, op = "", _id]) => ({
            [op]: first
              ? { _id, status: 403, error: { type: "cluster_block_exception", reason: REASON } }
              : { _id, status: 200, _seq_no: 1, _primary_term: 1 },
          }));
          return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ took: 1, errors: first, items })) };
        },
      },
      target: TARGET,
      deadline: deadlineIn(20_000),
      refresh: undefined,
      wait: async () => {},
      holds: {
        async retry(index) {
          assert.is(index, "books-1");
          return resumes;
        },
      },
    },
    drafts.map((draft) => sendingOf(bytes, draft)),
  );
  const statuses = Object.fromEntries([...settled.results].map(([{ id }, { status }]) => [id, status]));
  return {
    statuses,
    conflicts: settled.conflicts.map(({ draft }) => draft.operation.id),
    replaced: settled.replaced.map(({ draft, item }) => [draft.operation.id, item.status]),
    calls: bodies.length,
  };
}

test("wait for the end of the hold, and are not sent again as they were: another index may have taken over", async () => {
  const { statuses, conflicts, replaced, calls } = await write(true);
  assert.is(calls, 1);
  assert.equal(statuses, { callers: 409 });
  assert.equal(conflicts, ["embedded"]);
  assert.equal(replaced, [["plain", 403]]);
});

test("fail with the cluster's status if there is no hold", async () => {
  const { statuses, conflicts, replaced, calls } = await write(false);
  assert.is(calls, 1);
  assert.equal(statuses, { plain: 403, embedded: 403, callers: 403 });
  assert.equal([conflicts, replaced], [[], []]);
});

test.run();
