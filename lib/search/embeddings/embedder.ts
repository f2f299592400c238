import type { ModelName } from "../../config/embedding-models.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";

/** Unit-length floats of the model's dimension. */
export type DenseVector = readonly number[];

/** Vocabulary token to weight, each weight in (0, 64]. */
export type SparseVector = Readonly<Record<string, number>>;

export type Embedding = { kind: "dense"; vector: DenseVector } | { kind: "sparse"; tokens: SparseVector };

/** The embedding of a document as the JSON to store. That of a dense one is a part of the model's answer if it can be. */
export type DocumentEmbedding = { kind: "dense"; json: Buffer } | { kind: "sparse"; json: string };

/** Why a text has no embedding. Callers see the message, so it names no endpoint, host or ARN. */
export class EmbeddingError extends Error {
  override name = "EmbeddingError";
  /** Whether the same text may succeed later (throttled, unavailable, timed out). */
  readonly retryable: boolean;
  /** Whole seconds to wait before that, if known. */
  retryAfterSeconds?: number;

  constructor(message: string, options: ErrorOptions & { retryable: boolean }) {
    super(message, options);
    this.retryable = options.retryable;
  }
}

/** Error for a model call that could not start in time. Trying again within the same request does not help. */
export class NoTimeLeftError extends EmbeddingError {
  override name = "NoTimeLeftError";

  constructor(message = "no time was left to start a model call") {
    super(message, { retryable: true });
  }
}

/** The outcome for one text of a batch. A text that fails affects at most the texts of its model call. */
export type EmbeddingOutcome = DocumentEmbedding | { kind: "error"; error: EmbeddingError };

/** Limits of one call of `embedDocuments`. */
export interface EmbedOptions {
  /**
   * No model call, first attempt or retry, starts after this deadline; running calls may use the rest of the other one.
   * Texts that were not started become retryable errors. Defaults to the deadline itself.
   */
  startBefore?: Deadline;
  /** Milliseconds that a request has for model calls from its start, to tell how many texts fit. Default: what is left. */
  requestMs?: number;
}

/** One model. Both methods keep every timeout and retry within the deadline. */
export interface Embedder {
  readonly model: ModelName;

  /**
   * Embeds texts to be stored. Returns one outcome for each text, in the same order, and never throws for a failed text.
   * Sends batches within the model's limits, in parallel up to its concurrency. Does not remove duplicate texts.
   */
  embedDocuments(texts: readonly string[], deadline: Deadline, options?: EmbedOptions): Promise<EmbeddingOutcome[]>;

  /** Embeds one query text, from memory if it can. A sparse query without a known token is `{}`. Throws EmbeddingError. */
  embedQuery(text: string, deadline: Deadline): Promise<Embedding>;
}
