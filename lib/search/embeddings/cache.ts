import type { ModelName } from "../../config/embedding-models.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import { withTimeout } from "../../core/resilience/timeout.ts";
import { type Embedding, EmbeddingError } from "./embedder.ts";
import type { InputType } from "./model-client.ts";

export interface EmbeddingCacheOptions {
  entries?: number;
  bytes?: number;
}

/** What an embedding depends on. Two models, or two revisions of one, never share a value. */
export interface CacheKey {
  model: ModelName;
  revision: string;
  input: InputType;
  text: string;
}

export interface EmbeddingCache {
  /**
   * The embedding of a key: kept, or being computed by an equal call, or computed now. Failures are shared by those
   * that wait, and not kept. Throws a retryable EmbeddingError when the caller's deadline ends while it waits for
   * another's call.
   */
  get(key: CacheKey, deadline: Deadline, compute: () => Promise<Embedding>): Promise<Embedding>;
  /** What is held, for metrics and tests. */
  size(): { entries: number; bytes: number };
}

const DEFAULT_ENTRIES = 1_000;
const DEFAULT_BYTES = 16 * 1_024 * 1_024;

/** A cache of query embeddings, bounded by number and by bytes; the least recently used goes first. */
export function createEmbeddingCache(options: EmbeddingCacheOptions = {}): EmbeddingCache {
  const { entries: maxEntries = DEFAULT_ENTRIES, bytes: maxBytes = DEFAULT_BYTES } = options;
  // A Map iterates in the order of insertion: re-inserting on each use keeps the oldest use in front.
  const kept = new Map<string, { embedding: Embedding; bytes: number }>();
  const running = new Map<string, Promise<Embedding>>();
  let bytes = 0;

  const remove = (key: string) => {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };

  const keep = (key: string, embedding: Embedding) => {
    const size = sizeOf(key, embedding);
    if (size > maxBytes) return;
    kept.set(key, { embedding, bytes: size });
    bytes += size;
    for (const oldest of kept.keys()) {
      if (kept.size <= maxEntries && bytes <= maxBytes) break;
      remove(oldest);
    }
  };

  const start = async (key: string, compute: () => Promise<Embedding>) => {
    try {
      const embedding = await compute();
      keep(key, embedding);
      return embedding;
    } finally {
      running.delete(key);
    }
  };

  return {
    async get({ model, revision, input, text }, deadline, compute) {
      const key = JSON.stringify([model, revision, input, text]);
      const hit = kept.get(key);
      if (hit) {
        kept.delete(key);
        kept.set(key, hit);
        return hit.embedding;
      }
      const shared = running.get(key);
      if (shared) return withTimeout(deadline.remaining(), () => shared, late);
      const computing = start(key, compute);
      running.set(key, computing);
      return computing;
    },
    size: () => ({ entries: kept.size, bytes }),
  };
}

const late = () => new EmbeddingError("no time was left to wait for the model", { retryable: true });

/** An estimate of the heap: two bytes a character, eight a number. */
function sizeOf(key: string, embedding: Embedding): number {
  if (embedding.kind === "dense") return key.length * 2 + embedding.vector.length * 8;
  const tokens = Object.keys(embedding.tokens);
  return key.length * 2 + tokens.reduce((sum, token) => sum + token.length * 2 + 8, 0);
}
