import type { Deadline } from "../../platform/resilience/deadline.ts";
import { batches, type Part } from "./batches.ts";
import { type Embedder, EmbeddingError, type EmbeddingOutcome, type EmbedOptions } from "./embedder.ts";
import { classify, toEmbeddingError } from "./failure.ts";
import { type HostedEmbedderOptions, type HostedModel, ModelCalls } from "./model-calls.ts";
import { FIRST_TEXTS, TooManyTextsError } from "./pace.ts";

/** Attempts of a query that timed out. The second one helps if a connection had died unnoticed. */
const ATTEMPTS_AFTER_TIMEOUT = 2;

/**
 * Refused calls, beyond those justified by successes, after which `embedDocuments` stops looking for the bad text.
 * Otherwise a model that refuses everything would be called twice for every text.
 */
const REFUSALS_WITHOUT_SUCCESS = 32;
const REFUSALS_PER_SUCCESS = 8;

/** An embedder over a hosted model: batches, parallel calls within `semaphore`, retries and timeouts within the deadline. */
export function hostedEmbedder(hosted: HostedModel, options: HostedEmbedderOptions): Embedder {
  const calls = new ModelCalls(hosted, options);
  return {
    model: hosted.model,
    embedDocuments: (texts, deadline, limits) => new DocumentBatches(calls, texts, deadline, limits).embedAll(),
    embedQuery: (text, deadline) => embedQuery(calls, text, deadline),
  };
}

async function embedQuery(calls: ModelCalls, text: string, deadline: Deadline): ReturnType<Embedder["embedQuery"]> {
  const literals = [calls.hosted.json(text, "query")];
  let failures = 0;
  try {
    const [outcome = missing()] = await calls.embed(literals, "query", { startBefore: deadline, deadline }, (error) => {
      failures += 1;
      const { again, timedOut } = classify(error);
      return again || (timedOut && failures < ATTEMPTS_AFTER_TIMEOUT);
    });
    if (outcome.kind === "error") throw outcome.error;
    const value = JSON.parse(outcome.json.toString());
    return outcome.kind === "sparse" ? { kind: "sparse", tokens: value } : { kind: "dense", vector: value };
  } catch (error) {
    throw toEmbeddingError(error);
  }
}

/** The texts of one request, embedded in batches that are halved when the model refuses one of their texts. */
class DocumentBatches {
  readonly #calls: ModelCalls;
  readonly #texts: readonly string[];
  readonly #outcomes: EmbeddingOutcome[];
  readonly #times: { startBefore: Deadline; deadline: Deadline };
  readonly #requestMs: number;
  #refusals = 0;
  #successes = 0;

  constructor(calls: ModelCalls, texts: readonly string[], deadline: Deadline, limits: EmbedOptions = {}) {
    const { startBefore = deadline, requestMs = deadline.remaining() } = limits;
    this.#calls = calls;
    this.#texts = texts;
    this.#outcomes = new Array<EmbeddingOutcome>(texts.length);
    this.#times = { startBefore, deadline };
    this.#requestMs = requestMs;
  }

  async embedAll(): Promise<EmbeddingOutcome[]> {
    const { hosted, pace, semaphore } = this.#calls;
    const rest = batches(this.#texts, hosted.limits, (text) => hosted.json(text, "document"));
    const first = pace.isKnown() ? [] : (rest.next().value ?? []);
    await this.#embed(first.slice(0, FIRST_TEXTS));
    const worker = async (_: unknown, index: number) => {
      if (index === 0) await this.#embed(first.slice(FIRST_TEXTS));
      for (const batch of rest) await this.#embed(batch);
    };
    await Promise.all(Array.from({ length: semaphore.size }, worker));
    return this.#outcomes;
  }

  async #embed(batch: readonly Part[]): Promise<void> {
    if (batch.length === 0) return;
    const literals = batch.map(({ json }) => json);
    try {
      const answers = await this.#calls.embed(literals, "document", this.#times, (error) => classify(error).again);
      this.#successes += 1;
      for (const [i, { index }] of batch.entries()) this.#outcomes[index] = answers[i] ?? missing();
    } catch (error) {
      const size = await this.#smaller(batch.length, error);
      if (size === undefined) return this.#fail(batch, error);
      await this.#embed(batch.slice(0, size));
      await this.#embed(batch.slice(size));
    }
  }

  /** Returns how many texts of a failed batch to retry first, before the others; undefined if the failure is final. */
  async #smaller(size: number, error: unknown): Promise<number | undefined> {
    if (error instanceof TooManyTextsError) {
      // Waits outside of the semaphore, so that other calls can run.
      if (error.fitting === 0) await this.#calls.pace.ended();
      return error.fitting;
    }
    if (!classify(error).refused) return undefined;
    this.#refusals += 1;
    const most = REFUSALS_WITHOUT_SUCCESS + REFUSALS_PER_SUCCESS * this.#successes;
    return size > 1 && this.#refusals <= most ? size >> 1 : undefined;
  }

  #fail(batch: readonly Part[], error: unknown): void {
    const slow = this.#calls.slowness(error, this.#texts.length, this.#requestMs);
    const failed: EmbeddingOutcome = { kind: "error", error: slow ?? toEmbeddingError(error) };
    for (const { index } of batch) this.#outcomes[index] = failed;
  }
}

const missing = (): EmbeddingOutcome => ({
  kind: "error",
  error: new EmbeddingError("model gave fewer vectors than texts", { retryable: false }),
});
