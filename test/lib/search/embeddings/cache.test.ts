import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { type CacheKey, createEmbeddingCache } from "../../../../lib/search/embeddings/cache.ts";
import type { Embedding } from "../../../../lib/search/embeddings/embedder.ts";
import { suite } from "../../../suite.ts";

const test = suite("embeddings: cache");

const key = (text: string, other: Partial<CacheKey> = {}): CacheKey => ({
  model: "dense_large_en_v1_5",
  revision: "1",
  input: "query",
  text,
  ...other,
});
const dense = (dimension = 4): Embedding => ({ kind: "dense", vector: new Array<number>(dimension).fill(0.5) });
const deadline = deadlineIn(10_000);

/** A computation that counts how often it ran. */
function counted(embedding = dense()) {
  const compute = async () => {
    compute.runs += 1;
    return embedding;
  };
  compute.runs = 0;
  return compute;
}

test("an equal query is computed once", async () => {
  const cache = createEmbeddingCache();
  const compute = counted();
  const first = await cache.get(key("a"), deadline, compute);
  assert.is(await cache.get(key("a"), deadline, compute), first);
  assert.is(compute.runs, 1);
});

test("another model, revision, input type or text is another entry", async () => {
  const cache = createEmbeddingCache();
  const compute = counted();
  for (const one of [
    key("a"),
    key("b"),
    key("a", { revision: "2" }),
    key("a", { input: "document" }),
    key("a", { model: "ext_embed_english_v3" }),
  ]) {
    await cache.get(one, deadline, compute);
  }
  assert.is(compute.runs, 5);
});

test("concurrent equal queries share one call", async () => {
  const cache = createEmbeddingCache();
  const compute = counted();
  await Promise.all(Array.from({ length: 5 }, () => cache.get(key("a"), deadline, compute)));
  assert.is(compute.runs, 1);
});

test("waiting callers share a failure, which is not cached", async () => {
  const cache = createEmbeddingCache();
  let runs = 0;
  const failing = async (): Promise<Embedding> => {
    runs += 1;
    throw new Error("down");
  };
  const results = await Promise.allSettled([1, 2].map(() => cache.get(key("a"), deadline, failing)));
  assert.equal(
    results.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.is(runs, 1);
  const compute = counted();
  await cache.get(key("a"), deadline, compute);
  assert.is(compute.runs, 1);
});

test("a caller waits for another's call only until its own deadline", async () => {
  const cache = createEmbeddingCache();
  const { promise: running, resolve: finish } = Promise.withResolvers<Embedding>();
  const slow = cache.get(key("a"), deadline, () => running);
  const message = await cache.get(key("a"), deadlineIn(5), counted()).catch((error: Error) => error.message);
  assert.is(message, "no time was left to wait for the model");
  finish(dense());
  await slow;
});

test("holds at most the given entries, and evicts the least recently used", async () => {
  const cache = createEmbeddingCache({ entries: 2 });
  const compute = counted();
  for (const text of ["a", "b", "a", "c"]) await cache.get(key(text), deadline, compute);
  assert.is(cache.size().entries, 2);
  await cache.get(key("a"), deadline, compute);
  assert.is(compute.runs, 3);
  await cache.get(key("b"), deadline, compute);
  assert.is(compute.runs, 4);
});

test("holds at most the given bytes", async () => {
  const cache = createEmbeddingCache({ bytes: 20_000 });
  for (let i = 0; i < 50; i += 1) await cache.get(key(`${i}`), deadline, counted(dense(1_024)));
  assert.ok(cache.size().bytes <= 20_000);
  assert.is(cache.size().entries, 2);
});

test("an entry larger than the cache is not kept, and evicts nothing", async () => {
  const cache = createEmbeddingCache({ bytes: 2_000 });
  await cache.get(key("a"), deadline, counted());
  await cache.get(key("x".repeat(2_000)), deadline, counted());
  assert.is(cache.size().entries, 1);
});

test("the size includes sparse tokens, but no evicted entries", async () => {
  const cache = createEmbeddingCache({ entries: 1 });
  await cache.get(key("a"), deadline, counted({ kind: "sparse", tokens: { dragon: 1 } }));
  const { bytes } = cache.size();
  await cache.get(key("b"), deadline, counted({ kind: "sparse", tokens: { dragon: 1 } }));
  assert.is(cache.size().bytes, bytes);
  assert.ok(bytes > 0);
});

test.run();
