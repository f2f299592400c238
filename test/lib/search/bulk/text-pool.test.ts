import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { createTextPool, type ModelText } from "../../../../lib/search/bulk/text-pool.ts";
import { EmbeddingError } from "../../../../lib/search/embeddings/embedder.ts";
import type { ModelName } from "../../../../lib/settings/embedding-models.ts";
import { suite } from "../../../suite.ts";
import { testEmbedder, tokensOf, vectorOf } from "./support.ts";

const test = suite("texts of a bulk request");

const model: ModelName = "dense_large_en_v1_5";
const wanted = (text: string): ModelText => ({ model, text });
const setUp = (uses: Record<string, number>, { keepAll = false, remainingMs = 28_000 } = {}) => {
  const dense = testEmbedder(model);
  const sparse = testEmbedder("sparse_v3");
  const pool = createTextPool({
    embedder: async (name) => (name === "sparse_v3" ? sparse : dense),
    deadline: deadlineIn(remainingMs),
    uses: new Map([[model, new Map(Object.entries(uses))]]),
    keepAll,
    wait: async () => {},
  });
  return { pool, dense, sparse };
};

test("sends a text to the model once, even if it is wanted several times, before and after its answer", async () => {
  const { pool, dense } = setUp({ a: 3, b: 1 });
  pool.start([wanted("a"), wanted("b"), wanted("a")]);
  pool.start([wanted("a")]);
  assert.equal(await pool.get(wanted("a")), { kind: "dense", json: Buffer.from(JSON.stringify(vectorOf("a"))) });
  pool.release(wanted("a"));
  pool.start([wanted("a"), wanted("b")]);
  await pool.get(wanted("a"));
  assert.equal(dense.calls, [["a", "b"]]);
});

test("each model has its own embedding of a text", async () => {
  const { pool, dense, sparse } = setUp({});
  pool.start([wanted("a b"), { model: "sparse_v3", text: "a b" }]);
  const sparseOne = await pool.get({ model: "sparse_v3", text: "a b" });
  assert.equal(sparseOne, { kind: "sparse", json: JSON.stringify(tokensOf("a b")) });
  assert.equal([dense.calls, sparse.calls], [[["a b"]], [["a b"]]]);
});

test("drops an embedding after its last use, unless unknown texts may follow", async () => {
  for (const keepAll of [false, true]) {
    const { pool, dense } = setUp({ a: 1 }, { keepAll });
    await pool.get(wanted("a"));
    pool.release(wanted("a"));
    await pool.get(wanted("a"));
    assert.is(dense.calls.length, keepAll ? 1 : 2);
  }
});

test("does not retry a text that fails for good, and fails no other text", async () => {
  const { pool, dense } = setUp({ a: 2, b: 1 });
  const error = new EmbeddingError("refused", { retryable: false });
  dense.failing = (text) => (text === "a" ? error : undefined);
  pool.start([wanted("a"), wanted("b")]);
  assert.equal(await pool.get(wanted("a")), { kind: "error", error });
  assert.equal(await pool.get(wanted("a")), { kind: "error", error });
  assert.is((await pool.get(wanted("b"))).kind, "dense");
  assert.equal(dense.calls, [["a", "b"]]);
});

test("retries throttled texts alone while others succeed, but not when all fail", async () => {
  const { pool, dense } = setUp({});
  const error = new EmbeddingError("throttled", { retryable: true });
  dense.failing = (text) => (text === "a" && dense.calls.length === 1 ? error : undefined);
  pool.start([wanted("a"), wanted("b")]);
  assert.is((await pool.get(wanted("a"))).kind, "dense");
  assert.equal(dense.calls, [["a", "b"], ["a"]]);

  const away = setUp({});
  away.dense.failing = () => error;
  away.pool.start([wanted("a"), wanted("b")]);
  assert.is((await away.pool.get(wanted("a"))).kind, "error");
  assert.equal(away.dense.calls, [["a", "b"]]);
});

test("a model that cannot be loaded is a retryable failure", async () => {
  const broken = createTextPool({
    embedder: async () => {
      throw new Error("no tokenizer.json");
    },
    deadline: deadlineIn(28_000),
    uses: new Map(),
    keepAll: false,
    wait: async () => {},
  });
  const failed = await broken.get(wanted("a"));
  assert.ok(failed.kind === "error" && failed.error.retryable);
  assert.not.match(failed.kind === "error" ? failed.error.message : "", "tokenizer.json");
});

test("starts no model call in the last five seconds", async () => {
  const late = setUp({}, { remainingMs: 4_990 });
  assert.is((await late.pool.get(wanted("a"))).kind, "error");
  assert.equal(late.dense.calls, []);
  const early = setUp({}, { remainingMs: 6_000 });
  assert.is((await early.pool.get(wanted("a"))).kind, "dense");
});

test.run();
