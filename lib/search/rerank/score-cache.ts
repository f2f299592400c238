import { createHash } from "node:crypto";

/** Scores in memory: about 150 bytes each, so 3 MB at most. */
const MAX_SCORES = 20_000;

/** Cache of one reranker's scores in one process. */
export interface ScoreCache {
  /** Returns the cache key of a query and a text. After an update, a document has another text and key. */
  key(query: string, text: string): string;
  get(key: string): number | undefined;
  set(key: string, score: number): void;
}

/** Returns a cache that drops the least recently used score first. */
export function createScoreCache(most: number = MAX_SCORES): ScoreCache {
  // A Map iterates in insertion order: re-inserting on each use keeps the least recently used in front.
  const kept = new Map<string, number>();
  const set = (key: string, score: number) => {
    kept.delete(key);
    kept.set(key, score);
    const [oldest] = kept.size > most ? kept.keys() : [];
    if (oldest !== undefined) kept.delete(oldest);
  };
  return {
    key: (query, text) =>
      createHash("sha256")
        .update(JSON.stringify([query, text]))
        .digest("base64"),
    get: (key) => {
      const score = kept.get(key);
      if (score !== undefined) set(key, score);
      return score;
    },
    set,
  };
}
