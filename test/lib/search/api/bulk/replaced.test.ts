import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../../lib/core/resilience/deadline.ts";
import { sendingOf } from "../../../../../lib/search/api/bulk/draft.ts";
import { settleChunk } from "../../../../../lib/search/api/bulk/settle.ts";
import type { BulkTarget } from "../../../../../lib/search/api/bulk/target.ts";
import { suite } from "../../../../suite.ts";
import { requestOf } from "./support.ts";

const test = suite("bulk writes that another index refuses");

const MAPPING = { embedding_field: "v", model_name: "dense_large_en_v1_5", src_fields: ["text"] } as const;
const TARGET: BulkTarget = {
  ...{ name: "books", readName: "books", itemIndex: "books-1", onFailure: "fail" },
  mappings: [{ ...MAPPING, src_fields: ["text"], embedder: "dense_large_en_v1_5" }],
};

/** Writes a document that the cluster refuses in an index. Returns which list of the outcome has it, and the calls. */
async function refusedBy(index: string, target = TARGET) {
  const { bytes, operations } = requestOf([{ id: "one", op: "index", doc: { text: "salt" } }]);
  let calls = 0;
  const settled = await settleChunk(
    {
      cluster: {
        async send() {
          calls += 1;
          const refused = {
            index: {
              _index: index,
              _id: "one",
              status: 400,
              error: { type: "mapper_parsing_exception", reason: "no" },
            },
          };
          // The first operation of a write to an index with embeddings is the gateway's own.
          const own = { update: { _id: "relevance: create no index", status: 400, error: { type: "x", reason: "" } } };
          const items = target.mappings.length > 0 ? [own, refused] : [refused];
          return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ took: 1, errors: true, items })) };
        },
      },
      target,
      deadline: deadlineIn(20_000),
      refresh: undefined,
      wait: async () => {},
      holds: { retry: async () => false },
    },
    operations.map((operation) => sendingOf(bytes, { operation, changes: {} })),
  );
  return { calls, results: settled.results.size, replaced: settled.replaced.map(({ item }) => item.status) };
}

test("may be prepared again for the index that has taken over", async () => {
  assert.equal(await refusedBy("books-2"), { calls: 1, results: 0, replaced: [400] });
});

test("are settled if it is the index that they were prepared for, or if nothing is embedded", async () => {
  const settled = { calls: 1, results: 1, replaced: [] };
  assert.equal(await refusedBy("books-1"), settled);
  assert.equal(await refusedBy("books-2", { ...TARGET, mappings: [] }), settled);
});

test.run();
