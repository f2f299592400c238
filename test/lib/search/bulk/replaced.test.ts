import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { sendingOf } from "../../../../lib/search/bulk/draft.ts";
import type { Need } from "../../../../lib/search/bulk/needs.ts";
import { type Followed, fateOf } from "../../../../lib/search/bulk/replaced.ts";
import { settleChunk } from "../../../../lib/search/bulk/settle.ts";
import type { BulkTarget } from "../../../../lib/search/bulk/target.ts";
import { suite } from "../../../suite.ts";
import { requestOf } from "./support.ts";

const test = suite("bulk writes that another index refuses or stores");

const MAPPING = { embedding_field: "v", model_name: "dense_large_en_v1_5", src_fields: ["text"] } as const;
const TARGET: BulkTarget = {
  ...{ name: "books", readName: "books", itemIndex: "books-1", onFailure: "fail" },
  mappings: [{ ...MAPPING, src_fields: ["text"], embedder: "dense_large_en_v1_5" }],
};

const REFUSED = { status: 400, error: { type: "mapper_parsing_exception", reason: "no" } };
const STORED = { status: 201, _seq_no: 5, _primary_term: 1 };

/** Writes a document with an outcome in an index. Returns which list has it, and the calls. */
async function written(index: string, outcome: object, target = TARGET, op: "index" | "delete" = "index") {
  const { bytes, operations } = requestOf([{ id: "one", op, ...(op === "index" && { doc: { text: "salt" } }) }]);
  let calls = 0;
  const settled = await settleChunk(
    {
      cluster: {
        async send() {
          calls += 1;
          const item = { [op]: { _index: index, _id: "one", ...outcome } };
          // The first operation of a write to an index with embeddings is the gateway's own.
          const own = { update: { _id: "relevance: create no index", status: 400, error: { type: "x", reason: "" } } };
          const items = target.mappings.length > 0 ? [own, item] : [item];
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
  assert.equal(await written("books-2", REFUSED), { calls: 1, results: 0, replaced: [400] });
  assert.equal(await written("books-2", STORED), { calls: 1, results: 0, replaced: [201] });
});

test("are settled if it is the index that they were prepared for, or if nothing is embedded", async () => {
  const settled = { calls: 1, results: 1, replaced: [] };
  for (const outcome of [REFUSED, STORED]) {
    assert.equal(await written("books-1", outcome), settled);
    assert.equal(await written("books-2", outcome, { ...TARGET, mappings: [] }), settled);
    assert.equal(await written("books-2", outcome, TARGET, "delete"), settled);
  }
});

test("are prepared again only if the index embeds otherwise, and stay as they are if nobody knows it", () => {
  const text: Need = { kind: "text", text: "salt", afterPrevious: false };
  const held = { failed: true, status: 403, index: "books-2" };
  const refused = { ...held, status: 400 };
  const stored = { failed: false, status: 201, index: "books-2" };
  const elsewhere = { ...stored, index: "books-3" };
  const fates = (followed: Followed, need: Need) =>
    [held, refused, stored, elsewhere].map((item) =>
      fateOf(item, { target: { itemIndex: "books-2" }, needs: [need], followed }),
    );
  assert.equal(fates("other", text), ["prepare", "prepare", "prepare", "stays"]);
  assert.equal(fates("alike", text), ["resend", "settled", "settled", "stays"]);
  assert.equal(fates("unknown", text), ["resend", "settled", "stays", "stays"]);
  // A pipeline of the index sends its documents elsewhere.
  assert.equal(fates("same", text), ["resend", "settled", "settled", "settled"]);
  // The caller's own vector, or an update of other fields.
  assert.equal(fates("other", { kind: "none" }), ["prepare", "prepare", "settled", "settled"]);
});

test.run();
