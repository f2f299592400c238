import { hashed } from "../../judgments/hashed.ts";

/**
 * Returns every document that a variant found, each once, in an order that says nothing about ranks, so that nobody
 * judges by position. The order is the same each time.
 */
export function pooled(query: string, rankings: readonly (readonly string[])[]): string[] {
  const ids = [...new Set(rankings.flat())];
  const keys = new Map(ids.map((id) => [id, hashed(`${query} ${id}`)]));
  return ids.sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0) || (a < b ? -1 : 1));
}
