import * as v from "valibot";
import { BEDROCK_MODELS, type ModelName } from "../../config/embedding-models.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";

const ofEveryModel = {
  /** Part of the cache key: another revision makes other vectors. */
  revision: v.string(),
  /** Simultaneous calls of one function instance for queries. */
  concurrency: v.number(),
  /** The same for documents; absent: as many. */
  document_concurrency: v.optional(v.number()),
  /** Whether the model only embeds for indexes that it made the vectors of, since another one is configured now. */
  previous: v.optional(v.literal(true)),
  /** Milliseconds of one call for a query or for documents; absent: the embedder's own. */
  query_timeout_ms: v.optional(v.number()),
  document_timeout_ms: v.optional(v.number()),
};

/** How a model is spoken to that is neither of Cohere nor Amazon Titan, nor served by Text Embeddings Inference. */
const Protocol = v.object({
  request: v.looseObject({}),
  answer: v.optional(v.string()),
  batch_size: v.number(),
  max_characters: v.number(),
  input_types: v.optional(v.object({ query: v.string(), document: v.string() })),
});

/** One embedding model: what its kind and its host need, and nothing else. */
export const ModelSettings = v.variant("name", [
  v.object({
    name: v.literal("dense_large_en_v1_5"),
    ...ofEveryModel,
    /** SageMaker endpoint, and the one for documents; absent: the same. */
    endpoint_name: v.string(),
    document_endpoint_name: v.optional(v.string()),
    /** Differs from the model's own where another model serves the local stack. */
    dimension: v.number(),
    /** Text before each query; may be empty. */
    query_prefix: v.string(),
    /** Text before each document; may be empty. */
    passage_prefix: v.string(),
    protocol: v.optional(Protocol),
  }),
  v.object({
    name: v.literal("sparse_v3"),
    ...ofEveryModel,
    endpoint_name: v.string(),
    /** Weights below this share of a document's largest are dropped. */
    prune_ratio: v.number(),
  }),
  v.object({
    name: v.picklist(BEDROCK_MODELS),
    ...ofEveryModel,
    /** Id of a Bedrock model or inference profile. */
    model_id: v.string(),
    dimension: v.number(),
    protocol: v.optional(Protocol),
    /** Text before each query, and before each document. */
    query_prefix: v.optional(v.string()),
    passage_prefix: v.optional(v.string()),
  }),
]);
export type ModelSettings = v.InferOutput<typeof ModelSettings>;

/** Returns what tells the vectors of a model from those of others. */
export const vectorsBySettings = (settings: ModelSettings): string =>
  "model_id" in settings ? settings.model_id : settings.revision;

/** Names what made the vector of a passage, where several models may write into one index. */
export const passagesBy = (settings: ModelSettings): string => `${settings.name} ${vectorsBySettings(settings)}`;

/** Names a model of the settings, of which a previous one may have the name of another. */
export type EmbedderName = ModelName | `previous ${ModelName}`;

/** Returns the name of a model of the settings. */
export const embedderName = ({ name, previous }: ModelSettings): EmbedderName => (previous ? `previous ${name}` : name);

/** Unit-length floats of the model's dimension. */
export type DenseVector = readonly number[];

/** Vocabulary token to weight, each weight in (0, 64]. */
export type SparseVector = Readonly<Record<string, number>>;

/** Returns whether a 32-bit float can hold a number, though rounded: it becomes neither infinite nor zero. */
export function fitsFloat(value: number): boolean {
  const float = Math.fround(value);
  return Number.isFinite(float) && (float !== 0 || value === 0);
}

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

/** Returns the outcome of a text for which the model gave no usable vector. */
export const unusable = (message: string): EmbeddingOutcome => ({
  kind: "error",
  error: new EmbeddingError(message, { retryable: false }),
});

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

  /** Returns sparse weights by the ids of tokens, which a `sparse_vector` field takes. Absent for a dense model. */
  byId?(tokens: SparseVector): Promise<SparseVector>;

  /** Embeds one query text, from memory if it can. A sparse query without a known token is `{}`. Throws EmbeddingError. */
  embedQuery(text: string, deadline: Deadline): Promise<Embedding>;
}
