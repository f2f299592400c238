import type { ModelName } from "../../config/embedding-models.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";

/** Unit-length floats of the model's dimension. */
export type DenseVector = readonly number[];

/** Vocabulary token to weight, each weight in (0, 64]. */
export type SparseVector = Readonly<Record<string, number>>;

export type Embedding = { kind: "dense"; vector: DenseVector } | { kind: "sparse"; tokens: SparseVector };

/** Why a text has no embedding. The message is fit for a caller: no endpoint name, host or ARN. */
export class EmbeddingError extends Error {
  override name = "EmbeddingError";
  /** Whether the same text may succeed later (throttled, unavailable, timed out). */
  readonly retryable: boolean;

  constructor(message: string, options: ErrorOptions & { retryable: boolean }) {
    super(message, options);
    this.retryable = options.retryable;
  }
}

/** The outcome for one text of a batch: one text failing never takes others with it beyond its model call. */
export type EmbeddingOutcome = Embedding | { kind: "error"; error: EmbeddingError };

/** How far a call of `embedDocuments` may go. */
export interface EmbedOptions {
  /**
   * No model call, first attempt or retry, starts once this is over; those that run may use the rest of the deadline.
   * Texts that were not started come back as retryable errors. For the bulk rule (decisions 4.7) give
   * `earlier(budget, 5_000)` here and, as the deadline, the budget less what writing the results takes. Default: the
   * deadline itself.
   */
  startBefore?: Deadline;
}

/** One model. Both methods keep every upstream timeout and retry inside the deadline. */
export interface Embedder {
  readonly model: ModelName;

  /**
   * Embeds texts to be stored, in the order given: one outcome a text. Batches within the model's limits (count and
   * bytes), in parallel up to its concurrency. Equal texts are the caller's to remove. Never throws for a failed text.
   */
  embedDocuments(texts: readonly string[], deadline: Deadline, options?: EmbedOptions): Promise<EmbeddingOutcome[]>;

  /** Embeds one query text; cached in memory. Throws EmbeddingError. A sparse query without a known token gives `{}`. */
  embedQuery(text: string, deadline: Deadline): Promise<Embedding>;
}
