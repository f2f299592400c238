import * as assert from "uvu/assert";
import type { Deadline } from "../../../../lib/platform/resilience/deadline.ts";
import type { EmbeddingOutcome } from "../../../../lib/search/embeddings/embedder.ts";
import { hostedEmbedder } from "../../../../lib/search/embeddings/hosted-embedder.ts";
import type { HostedModel } from "../../../../lib/search/embeddings/model-calls.ts";
import { ModelCallTimeout } from "../../../../lib/search/embeddings/model-client.ts";
import { createPace } from "../../../../lib/search/embeddings/pace.ts";
import { createSemaphore } from "../../../../lib/search/embeddings/semaphore.ts";
import { suite } from "../../../suite.ts";

const test = suite("embeddings: pace of a model");

const LIMITS = { texts: 32, bytes: 1_000_000 };

/**
 * A model that embeds one text after the other, each in `msPerText` of a simulated clock, whoever calls. A call that
 * takes longer than its timeout has cost the model its time.
 */
function serialModel(msPerText: () => number) {
  let now = 0;
  let busyUntil = 0;
  const calls: Array<{ texts: number; timedOut: boolean }> = [];
  const waiting: Array<{ at: number; wake: () => void }> = [];
  const until = (at: number) => new Promise<void>((wake) => waiting.push({ at, wake }));
  /** Advances the clock while calls wait. */
  const run = async <T>(work: Promise<T>): Promise<T> => {
    let ended = false;
    const done = work.finally(() => {
      ended = true;
    });
    while (!ended) {
      await new Promise(setImmediate);
      const [next] = waiting.sort((a, b) => a.at - b.at);
      if (!next) continue;
      waiting.shift();
      now = Math.max(now, next.at);
      next.wake();
    }
    return done;
  };
  const model: HostedModel = {
    model: "dense_large_en_v1_5",
    limits: LIMITS,
    json: (text) => text,
    body: (literals) => literals.join(","),
    async invoke(body, timeoutMs) {
      const texts = body.split(",").length;
      const call = { texts, timedOut: false };
      calls.push(call);
      busyUntil = Math.max(busyUntil, now) + texts * msPerText();
      call.timedOut = busyUntil > now + timeoutMs;
      await until(call.timedOut ? now + timeoutMs : busyUntil);
      if (call.timedOut) throw new ModelCallTimeout(timeoutMs);
      return new Uint8Array();
    },
    parse: (_answer, count) =>
      Array.from({ length: count }, (): EmbeddingOutcome => ({ kind: "dense", json: Buffer.from("[1]") })),
  };
  const deadlineIn = (ms: number): Deadline => {
    const end = now + ms;
    return { remaining: () => Math.max(0, end - now) };
  };
  const pace = createPace(() => now);
  const embedder = hostedEmbedder(model, { semaphore: createSemaphore(4), pace, wait: async () => {} });
  const request = async (texts: number, ms = 25_000) => {
    const deadline = deadlineIn(ms);
    const outcomes = await run(
      embedder.embedDocuments(
        Array.from({ length: texts }, (_, i) => `t${i}`),
        deadline,
        { startBefore: { remaining: () => Math.max(0, deadline.remaining() - 2_500) } },
      ),
    );
    return {
      embedded: outcomes.filter(({ kind }) => kind === "dense").length,
      errors: outcomes.flatMap((outcome) => (outcome.kind === "error" ? [outcome.error] : [])),
    };
  };
  return { request, calls };
}

test("a model of two texts a second is sent no more than it can embed, and finished texts are returned", async () => {
  const { request, calls } = serialModel(() => 500);
  const { embedded, errors } = await request(400);
  assert.ok(embedded >= 36, `${embedded} of the 50 that fit`);
  assert.is(calls.filter(({ timedOut }) => timedOut).length, 0);
  assert.is(
    calls.reduce((sum, { texts }) => sum + texts, 0),
    embedded,
  );
  assert.is(errors.length, 400 - embedded);
});

test("the errors of the other texts say how many fit into a request, and when to send them", async () => {
  const { request } = serialModel(() => 500);
  const [error] = (await request(400)).errors;
  assert.match(error?.message ?? "", /^no time was left: the model embeds about 40 texts in the time of one request/);
  assert.is(error?.retryAfterSeconds, 1);
  assert.is(error?.retryable, true);
});

test("requests of the size that fits are embedded completely", async () => {
  const { request } = serialModel(() => 500);
  await request(400);
  assert.is((await request(40)).embedded, 40);
});

test("a model that has become faster receives full requests again", async () => {
  let slow = true;
  const { request } = serialModel(() => (slow ? 4_000 : 5));
  assert.is((await request(100)).embedded, 0);
  slow = false;
  await request(1);
  await request(100);
  assert.is((await request(100)).embedded, 100);
});

test("a fast model receives full calls after the first", async () => {
  const { request, calls } = serialModel(() => 5);
  assert.is((await request(100)).embedded, 100);
  assert.equal(
    calls.map(({ texts }) => texts),
    [8, 24, 32, 32, 4],
  );
});

test.run();
