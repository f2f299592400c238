import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { BEDROCK_MODELS, ModelName } from "../../settings/embedding-models.ts";
import type { Protocol } from "../../settings/model-protocol.ts";

/** Settings of every model. */
interface CommonSettings {
  /** Part of the cache key: another revision gives other vectors. */
  revision: string;
  /** Simultaneous calls of one function instance for queries. */
  concurrency: number;
  /** The same for documents. Default: the same number. */
  document_concurrency?: number | undefined;
  /** Whether this is a previous model, used only for indexes that have its vectors. */
  previous?: true;
  /** Timeout (ms) of one call for a query or for documents. Default: the embedder's own. */
  query_timeout_ms?: number | undefined;
  document_timeout_ms?: number | undefined;
}

interface DenseEndpoint extends CommonSettings {
  name: "dense_large_en_v1_5";
  /** SageMaker endpoint, and the one for documents; absent: the same. */
  endpoint_name: string;
  document_endpoint_name?: string | undefined;
  /** Differs from the model's own dimension if another model serves the local stack. */
  dimension: number;
  /** Text before each query; may be empty. */
  query_prefix: string;
  /** Text before each document; may be empty. */
  passage_prefix: string;
  protocol?: Protocol | undefined;
}

interface SparseEndpoint extends CommonSettings {
  name: "sparse_v3";
  endpoint_name: string;
  /** Weights below this share of a document's largest are dropped. */
  prune_ratio: number;
}

interface BedrockModel extends CommonSettings {
  name: (typeof BEDROCK_MODELS)[number];
  /** Id of a Bedrock model or inference profile. */
  model_id: string;
  dimension: number;
  protocol?: Protocol | undefined;
  /** Text before each query, and before each document. */
  query_prefix?: string | undefined;
  passage_prefix?: string | undefined;
}

/** Settings of one embedding model, by kind and host. */
export type ModelSettings = DenseEndpoint | SparseEndpoint | BedrockModel;

/** Returns the identity of a model's vectors, as `_meta.relevance` of an index stores it. */
export const vectorsBySettings = (settings: ModelSettings): string =>
  "model_id" in settings ? settings.model_id : settings.revision;

/** Returns the identity of the model that made a passage's vector, for indexes with vectors of several models. */
export const passagesBy = (settings: ModelSettings): string => `${settings.name} ${vectorsBySettings(settings)}`;

/** Name of an embedder. A previous model may have the same model name as the current one. */
export type EmbedderName = ModelName | `previous ${ModelName}`;

/** Returns the embedder's name for model settings. */
export const embedderName = ({ name, previous }: ModelSettings): EmbedderName => (previous ? `previous ${name}` : name);

/** Unit-length floats of the model's dimension. */
export type DenseVector = readonly number[];

/** Vocabulary token to weight, each weight in (0, 64]. */
export type SparseVector = Readonly<Record<string, number>>;

/** Returns whether a number, rounded to a 32-bit float, is neither infinite nor zero. */
export function fitsFloat(value: number): boolean {
  const float = Math.fround(value);
  return Number.isFinite(float) && (float !== 0 || value === 0);
}

export type Embedding = { kind: "dense"; vector: DenseVector } | { kind: "sparse"; tokens: SparseVector };

/** The embedding of a document as JSON to store. A dense one is a slice of the model's answer where possible. */
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

/** Returns the outcome of a text for which the model returned no usable vector. */
export const unusable = (message: string): EmbeddingOutcome => ({
  kind: "error",
  error: new EmbeddingError(message, { retryable: false }),
});

/** Limits of one call of `embedDocuments`. */
export interface EmbedOptions {
  /**
   * No model call or retry starts after this deadline; running calls may use the rest of `deadline`. Texts that were
   * not started become retryable errors. Default: `deadline`.
   */
  startBefore?: Deadline;
  /** Milliseconds that a whole request has for model calls, used to tell how many texts fit. Default: the time left. */
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

  /** Returns sparse weights keyed by token ids, as a `sparse_vector` field requires. Absent for a dense model. */
  byId?(tokens: SparseVector): Promise<SparseVector>;

  /**
   * Embeds one query text, or takes it from the cache. A sparse query without a known token is `{}`. Throws
   * EmbeddingError.
   */
  embedQuery(text: string, deadline: Deadline): Promise<Embedding>;
}
