import { chunks } from "../../platform/aws/call.ts";
import { earlier, retry } from "../../platform/resilience/deadline.ts";
import { batchSizeOf } from "../../settings/rerank-models.ts";
import { createBreaker } from "../embeddings/breaker.ts";
import { EmbeddingError, NoTimeLeftError } from "../embeddings/embedder.ts";
import { classify, judge } from "../embeddings/failure.ts";
import { ModelCallTimeout, type ModelClient } from "../embeddings/model-client.ts";
import { formatOf, readPart } from "./formats.ts";
import { RerankError, type Reranker, type RerankUsage } from "./reranker.ts";
import { createScoreCache, type ScoreCache } from "./score-cache.ts";

/** Every call ends this long before the deadline, so that its failure can still be reported. */
const MARGIN_MS = 20;

interface RerankerOptions {
  /** Id at Bedrock, or `reranker`. */
  model: string;
  /** Target of the client's calls: the id, or the name of the endpoint. */
  target: string;
  client: Pick<ModelClient, "invoke">;
  cache?: ScoreCache;
  /** Called when the breaker pauses the model because its last calls failed. */
  onPause?: (reason: string) => void;
}

/** Returns a reranker. Call it once per process and model: it holds the score cache and the circuit breaker. */
export function createReranker({ model, target, client, onPause, ...options }: RerankerOptions): Reranker {
  const { cache = createScoreCache() } = options;
  const format = formatOf(model);
  const breaker = createBreaker({ judge, onPause });

  return {
    async score(query, texts, { batchSize = batchSizeOf(model), deadline }) {
      const usage: RerankUsage = { calls: 0, units: 0, cached: 0 };
      const startedWith = deadline.remaining();
      const scores = new Map<string, number>();
      const missing = new Map<string, string>();
      const keys = texts.map((text) => {
        const read = readPart(text);
        if (read.trim() === "") return undefined;
        const key = cache.key(query, read);
        const known = cache.get(key);
        if (known === undefined) missing.set(key, read);
        else scores.set(key, known);
        return key;
      });
      usage.cached = keys.filter((key) => key !== undefined && scores.has(key)).length;
      const calls = chunks([...missing], batchSize).map((batch) =>
        retry(() => call(batch), {
          deadline: earlier(deadline, MARGIN_MS),
          retryable: (error) => classify(error).again,
        }),
      );
      // Waits for all calls, so that none continues after the answer and the usage is complete.
      const failed = (await Promise.allSettled(calls)).find((one) => one.status === "rejected");
      if (failed) throw errorOf(failed.reason, usage);
      return { scores: keys.map((key) => (key === undefined ? undefined : scores.get(key))), usage };

      async function call(batch: ReadonlyArray<readonly [string, string]>): Promise<void> {
        const given = await breaker.run("query", deadline, () => invoke(batch.map(([, text]) => text)));
        for (const [at, [key]] of batch.entries()) {
          const score = given[at] as number;
          scores.set(key, score);
          cache.set(key, score);
        }
      }

      async function invoke(read: readonly string[]): Promise<number[]> {
        const timeoutMs = Math.floor(earlier(deadline, MARGIN_MS).remaining());
        if (timeoutMs <= 0) throw new NoTimeLeftError();
        usage.calls += 1;
        usage.units += format.units(read.length);
        try {
          return format.parse(await client.invoke(target, format.body(query, read), timeoutMs), read.length);
        } catch (error) {
          // A timeout near the end of the budget says nothing about the model.
          if (error instanceof ModelCallTimeout) error.wasShort = timeoutMs < startedWith / 2;
          throw error;
        }
      }
    },
  };
}

const errorOf = (cause: unknown, usage: RerankUsage) =>
  new RerankError(cause instanceof EmbeddingError ? cause.message : classify(cause).reason, usage, { cause });
