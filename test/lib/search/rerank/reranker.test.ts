import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { ModelCallTimeout } from "../../../../lib/search/embeddings/model-client.ts";
import { createReranker } from "../../../../lib/search/rerank/create-reranker.ts";
import { RerankError } from "../../../../lib/search/rerank/reranker.ts";
import { createScoreCache } from "../../../../lib/search/rerank/score-cache.ts";
import { overlapClient } from "../../../fixtures/reranker.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/rerank");

const COHERE = "cohere.rerank-v3-5:0";
const TEXTS = ["a red lamp", "a blue lamp", "", "a table"];

function rerankerOf(model: string, answer?: Parameters<typeof overlapClient>[0], target = model) {
  const { client, calls } = overlapClient(answer);
  const reranker = createReranker({ model, target, client });
  const score = (query: string, texts: readonly string[], batchSize?: number) =>
    reranker.score(query, texts, { batchSize, deadline: deadlineIn(5_000) });
  return { calls, score };
}

for (const [model, body] of [
  [COHERE, { query: "red lamp", documents: ["a red lamp", "a blue lamp", "a table"], top_n: 3, api_version: 2 }],
  ["amazon.rerank-v1:0", { query: "red lamp", documents: ["a red lamp", "a blue lamp", "a table"], top_n: 3 }],
  ["reranker", { query: "red lamp", texts: ["a red lamp", "a blue lamp", "a table"], truncate: true }],
] as const) {
  test(`${model} gets its own body, without empty texts, and its scores come back in the order of the texts`, async () => {
    const { calls, score } = rerankerOf(model, undefined, "called");
    const { scores, usage } = await score("red lamp", TEXTS);
    assert.equal(scores, [1, 0.5, undefined, 0]);
    assert.equal(
      calls.map(({ target, body }) => [target, body]),
      [["called", body]],
    );
    assert.equal(usage, { calls: 1, units: model === "reranker" ? 0 : 1, cached: 0 });
  });
}

test("texts go in batches of an endpoint's 32 or Bedrock's 100, or as configured; units are hundreds of documents", async () => {
  const texts = Array.from({ length: 150 }, (_, at) => `lamp ${at}`);
  const sizes = async (model: string, batchSize?: number) => {
    const { calls, score } = rerankerOf(model);
    const { usage } = await score("lamp", texts, batchSize);
    assert.is(usage.calls, calls.length);
    return [calls.map((call) => call.texts.length), usage.units];
  };
  assert.equal(await sizes("reranker"), [[32, 32, 32, 32, 22], 0]);
  assert.equal(await sizes(COHERE), [[100, 50], 2]);
  assert.equal(await sizes(COHERE, 60), [[60, 60, 30], 3]);
});

test("a score is computed once for a query and a text, and anew for another text or query", async () => {
  const { calls, score } = rerankerOf(COHERE);
  await score("red lamp", ["a red lamp", "a table"]);
  const again = await score("red lamp", ["a table", "a red lamp", "a table"]);
  assert.equal([again.scores, again.usage], [[0, 1, 0], { calls: 0, units: 0, cached: 3 }]);
  await score("red lamp", ["a red lamp, repainted", "a table"]);
  await score("blue lamp", ["a table"]);
  assert.equal(
    calls.map(({ texts }) => texts),
    [["a red lamp", "a table"], ["a red lamp, repainted"], ["a table"]],
  );
});

test("memory is bounded, and drops what was not used for longest", () => {
  const cache = createScoreCache(2);
  for (const key of ["a", "b"]) cache.set(key, 1);
  assert.is(cache.get("a"), 1);
  cache.set("c", 1);
  assert.equal(
    ["a", "b", "c"].map((key) => cache.get(key)),
    [1, undefined, 1],
  );
});

test("long texts and queries are cut, which bounds what a document is billed as; half a character never goes out", async () => {
  const { calls, score } = rerankerOf(COHERE);
  await score("q".repeat(5_000), [`${"x".repeat(1_999)}😀`, "\ud83d"]);
  const [call] = calls;
  assert.equal([String(call?.body.query).length, call?.texts[0]?.length, call?.texts[1]], [1_000, 1_999, "\ufffd"]);
});

async function failure(score: Promise<unknown>): Promise<RerankError> {
  const error = await score.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof RerankError) return error;
  throw new Error(`expected a RerankError, got ${error}`);
}

const one = (index: unknown, score: unknown) => ({ index, relevance_score: score });
for (const [what, answer, reason] of [
  ["something else", { results: "none" }, "without scores"],
  ["no JSON object", [], "without scores"],
  ["too few scores", { results: [one(0, 1)] }, "1 scores for 2 texts"],
  ["too many scores", { results: [one(0, 1), one(1, 1), one(2, 1)] }, "3 scores for 2 texts"],
  ["a score twice", { results: [one(0, 1), one(0, 1)] }, "of other texts"],
  ["an unknown index", { results: [one(0, 1), one(2, 1)] }, "of other texts"],
  ["an index that is no number", { results: [one(0, 1), one("1", 1)] }, "of other texts"],
  ["null for NaN", { results: [one(0, null), one(1, 1)] }, "other than a score"],
  ["a text for a score", { results: [one(0, "0.5"), one(1, 1)] }, "other than a score"],
  ["null", { results: [null, one(1, 1)] }, "other than a score"],
] as const) {
  test(`${what} is no order, and the reason says so`, async () => {
    const { score } = rerankerOf(COHERE, () => answer);
    const error = await failure(score("lamp", ["a lamp", "a table"]));
    assert.match(error.message, reason);
    assert.equal(error.usage, { calls: 1, units: 1, cached: 0 });
  });
}

test("a throttled call is repeated; scores of the batches that came are kept when another one fails", async () => {
  let refused = 0;
  const throttled = Object.assign(new Error("slow down"), { name: "ThrottlingException" });
  const failed = Object.assign(new Error("no"), { name: "AccessDeniedException" });
  const { calls, score } = rerankerOf(COHERE, ({ texts }) => {
    if (texts.includes("a lamp") && ++refused === 1) throw throttled;
    if (texts.includes("a table") && refused < 5) throw failed;
    return undefined;
  });
  const error = await failure(score("lamp", ["a lamp", "a table"], 1));
  assert.is(error.message, "access to the model is denied");
  assert.is(error.usage.calls, 3);
  refused = 5;
  const { scores, usage } = await score("lamp", ["a lamp", "a table"], 1);
  assert.equal([scores, usage, calls.length], [[1, 0], { calls: 1, units: 1, cached: 1 }, 4]);
});

test("a model that times out again and again is not called for a while", async () => {
  const { calls, score } = rerankerOf("reranker", () => {
    throw new ModelCallTimeout(100);
  });
  const reasons = [];
  for (let at = 0; at < 5; at += 1) reasons.push((await failure(score("lamp", ["a lamp"]))).message);
  assert.is(calls.length, 4);
  assert.match(reasons[0] ?? "", "timed out after 100 ms");
  assert.match(reasons[4] ?? "", "paused for some seconds");
});

test.run();
