/**
 * Returns every document that a variant found, each once, in an order that says nothing about ranks, so that nobody
 * judges by position. The order is the same each time.
 */
export function pooled(query: string, rankings: readonly (readonly string[])[]): string[] {
  const ids = [...new Set(rankings.flat())];
  const keys = new Map(ids.map((id) => [id, hashed(`${query} ${id}`)]));
  return ids.sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0) || (a < b ? -1 : 1));
}

/** FNV-1a over UTF-16 units, with a last mix, since texts that differ in one character would else stay neighbours. */
function hashed(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
