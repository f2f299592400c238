import type { ModelName } from "../../config/embedding-models.ts";
import { type Deadline, earlier, type RetryOptions, retry } from "../../core/resilience/deadline.ts";
import { type BatchLimits, batches, type Part } from "./batches.ts";
import { type Breaker, createBreaker } from "./breaker.ts";
import {
  type Embedder,
  EmbeddingError,
  type EmbeddingOutcome,
  type EmbedOptions,
  NoTimeLeftError,
} from "./embedder.ts";
import { classify, judge, toEmbeddingError } from "./failure.ts";
import { type InputType, ModelCallTimeout } from "./model-client.ts";
import { createPace, FIRST_TEXTS, type Pace, SlowModelError, TooManyTextsError } from "./pace.ts";
import type { Semaphore } from "./semaphore.ts";

/** How one hosted model is spoken to. The rules of calling it (batches, retries, time) are `hostedEmbedder`'s. */
export interface HostedModel {
  model: ModelName;
  limits: BatchLimits;
  /** A text's JSON literal, cut to what the model takes. */
  json(text: string, input: InputType): string;
  /** The request body of some literals. */
  body(literals: readonly string[], input: InputType): string;
  invoke(body: string, timeoutMs: number): Promise<Uint8Array>;
  /** One outcome a text, in order. Throws ModelAnswerError when the answer as a whole cannot be used. */
  parse(answer: Uint8Array, count: number): EmbeddingOutcome[];
}

export interface HostedEmbedderOptions {
  semaphore: Semaphore;
  breaker?: Breaker;
  pace?: Pace;
  /** Milliseconds one attempt for a query may take: a search would rather continue without it. */
  queryTimeoutMs?: number;
  /** Milliseconds one attempt for documents may take; by default what is left of the request. */
  documentTimeoutMs?: number;
  /** Replaced in tests so that nothing sleeps between attempts. */
  wait?: (ms: number) => Promise<unknown>;
}

/** A query's attempt, by default. A query alone takes a model 50 to 300 ms; the rest is queueing behind documents. */
const QUERY_TIMEOUT_MS = 3_000;

/** Every timeout ends this long before the deadline, so that the failure can still be told. */
const MARGIN_MS = 50;

/** SageMaker's own limit for an answer; also keeps timers within what Node takes. */
const MAX_CALL_MS = 60_000;

/** Attempts of a query that timed out: the second one is for a connection that died unnoticed. */
const ATTEMPTS_AFTER_TIMEOUT = 2;

/**
 * Refused calls that one `embedDocuments` takes before it stops looking for the bad text, beyond those that its
 * successes justify: a model that refuses everything must not be asked twice for every text.
 */
const REFUSALS_WITHOUT_SUCCESS = 32;
const REFUSALS_PER_SUCCESS = 8;

/** An embedder over a hosted model: batches, parallel calls within `semaphore`, retries and timeouts within the deadline. */
export function hostedEmbedder(hosted: HostedModel, options: HostedEmbedderOptions): Embedder {
  const { semaphore, queryTimeoutMs = QUERY_TIMEOUT_MS, documentTimeoutMs = MAX_CALL_MS } = options;
  const breaker = options.breaker ?? createBreaker({ judge });
  const pace = options.pace ?? createPace();
  const waiting = options.wait && { wait: options.wait };

  /** `retry`, but when no time is left for another attempt, what failed the one before is what is told. */
  const retryCall = <T>(operation: () => Promise<T>, retrying: RetryOptions): Promise<T> => {
    let last: unknown;
    const attempt = async () => {
      try {
        return await operation();
      } catch (error) {
        if (!(error instanceof NoTimeLeftError && last)) last = error;
        throw last;
      }
    };
    return retry(attempt, { ...retrying, ...waiting });
  };

  /**
   * Counts the texts of a call for documents. Throws TooManyTextsError if the model would not finish them in time. A
   * single text is always tried while nothing else is in progress, or a model that was slow once would never be again.
   */
  const begin = (texts: number, ms: number) => {
    const others = pace.inProgress();
    const fitting = Math.max(others === 0 ? 1 : 0, pace.finishedWithin(ms) - others);
    if (texts > fitting) throw new TooManyTextsError(fitting);
    return pace.start(texts);
  };

  /** Returns the error that tells how many texts fit, if a call did not start because the model is slow. */
  const slowness = (error: unknown, texts: number, requestMs: number) => {
    const fitting = Math.max(1, pace.finishedWithin(requestMs));
    return error instanceof NoTimeLeftError && fitting < texts ? new SlowModelError(fitting) : undefined;
  };

  const call = async (
    parts: readonly string[],
    input: InputType,
    startBefore: Deadline,
    deadline: Deadline,
    limit: number,
  ) => {
    // Checks before queueing, too: hung calls may hold every slot.
    breaker.check(input);
    return semaphore.run(startBefore, () =>
      breaker.run(input, startBefore, async () => {
        const timeoutMs = Math.floor(Math.min(limit, earlier(deadline, MARGIN_MS).remaining()));
        if (timeoutMs <= 0) throw new NoTimeLeftError();
        const ended = input === "document" ? begin(parts.length, timeoutMs) : undefined;
        try {
          const answer = await hosted.invoke(hosted.body(parts, input), timeoutMs);
          ended?.("embedded");
          return hosted.parse(answer, parts.length);
        } catch (error) {
          ended?.(error instanceof ModelCallTimeout ? "timed_out" : "failed");
          if (error instanceof ModelCallTimeout && timeoutMs < Math.min(limit, queryTimeoutMs)) error.wasShort = true;
          throw error;
        }
      }),
    );
  };

  return {
    model: hosted.model,

    async embedDocuments(texts, deadline, limits: EmbedOptions = {}) {
      const { startBefore = deadline, requestMs = deadline.remaining() } = limits;
      const outcomes = new Array<EmbeddingOutcome>(texts.length);
      let refusals = 0;
      let successes = 0;

      const embed = async (batch: readonly Part[]): Promise<void> => {
        if (batch.length === 0) return;
        const literals = batch.map(({ json }) => json);
        try {
          const answers = await retryCall(() => call(literals, "document", startBefore, deadline, documentTimeoutMs), {
            deadline: startBefore,
            retryable: (error) => classify(error).again,
          });
          successes += 1;
          for (const [i, { index }] of batch.entries()) outcomes[index] = answers[i] ?? missing();
        } catch (error) {
          if (error instanceof TooManyTextsError) {
            // Waits outside of the slot, which other calls need.
            if (error.fitting === 0) await pace.ended();
            await embed(batch.slice(0, error.fitting));
            await embed(batch.slice(error.fitting));
            return;
          }
          if (classify(error).refused) {
            refusals += 1;
            if (batch.length > 1 && refusals <= REFUSALS_WITHOUT_SUCCESS + REFUSALS_PER_SUCCESS * successes) {
              const half = batch.length >> 1;
              await embed(batch.slice(0, half));
              await embed(batch.slice(half));
              return;
            }
          }
          const slow = slowness(error, texts.length, requestMs);
          const failed: EmbeddingOutcome = { kind: "error", error: slow ?? toEmbeddingError(error) };
          for (const { index } of batch) outcomes[index] = failed;
        }
      };

      const rest = batches(texts, hosted.limits, (text) => hosted.json(text, "document"));
      const first = pace.isKnown() ? [] : (rest.next().value ?? []);
      await embed(first.slice(0, FIRST_TEXTS));
      const worker = async (_: unknown, index: number) => {
        if (index === 0) await embed(first.slice(FIRST_TEXTS));
        for (const batch of rest) await embed(batch);
      };
      await Promise.all(Array.from({ length: semaphore.size }, worker));
      return outcomes;
    },

    async embedQuery(text, deadline) {
      const literals = [hosted.json(text, "query")];
      let attempts = 0;
      try {
        const [outcome = missing()] = await retryCall(
          () => {
            attempts += 1;
            return call(literals, "query", deadline, deadline, queryTimeoutMs);
          },
          {
            deadline,
            retryable: (error) => {
              const { again, timedOut } = classify(error);
              return again || (timedOut && attempts < ATTEMPTS_AFTER_TIMEOUT);
            },
          },
        );
        if (outcome.kind === "error") throw outcome.error;
        const value = JSON.parse(outcome.json.toString());
        return outcome.kind === "sparse" ? { kind: "sparse", tokens: value } : { kind: "dense", vector: value };
      } catch (error) {
        throw toEmbeddingError(error);
      }
    },
  };
}

const missing = (): EmbeddingOutcome => ({
  kind: "error",
  error: new EmbeddingError("model gave fewer vectors than texts", { retryable: false }),
});
