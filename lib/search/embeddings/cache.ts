import { type Deadline, withTimeout } from "../../platform/resilience/deadline.ts";
import type { ModelName } from "../../settings/embedding-models.ts";
import { type Embedding, EmbeddingError } from "./embedder.ts";
import type { InputType } from "./model-client.ts";

export interface EmbeddingCacheOptions {
  entries?: number;
  bytes?: number;
}

/** The inputs that determine an embedding. Two models, or two revisions of one, never share a value. */
export interface CacheKey {
  model: ModelName;
  revision: string;
  input: InputType;
  text: string;
}

export interface EmbeddingCache {
  /**
   * Returns the embedding of a key from memory, from an equal call in progress, or by computing it. Callers that wait
   * for the same call share its failure, which is not cached. Throws a retryable EmbeddingError when the caller's
   * deadline ends first.
   */
  get(key: CacheKey, deadline: Deadline, compute: () => Promise<Embedding>): Promise<Embedding>;
  /** Returns the cache's size, for metrics and tests. */
  size(): { entries: number; bytes: number };
}

const DEFAULT_ENTRIES = 1_000;
const DEFAULT_BYTES = 16 * 1_024 * 1_024;

/**
 * Returns an LRU cache of query embeddings, limited by number and by bytes.
 *
 * lru-cache 11.5.3 would replace about 25 lines, but is 18.7 kB minified, a sixth of the budget for a cold start; this
 * file is 1.2 kB.
 */
export function createEmbeddingCache(options: EmbeddingCacheOptions = {}): EmbeddingCache {
  const { entries: maxEntries = DEFAULT_ENTRIES, bytes: maxBytes = DEFAULT_BYTES } = options;
  // A Map iterates in insertion order: re-inserting on each use keeps the least recently used in front.
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

/** Estimates the size in memory: two bytes for each character, eight for each number. */
function sizeOf(key: string, embedding: Embedding): number {
  if (embedding.kind === "dense") return key.length * 2 + embedding.vector.length * 8;
  const tokens = Object.keys(embedding.tokens);
  return key.length * 2 + tokens.reduce((sum, token) => sum + token.length * 2 + 8, 0);
}
