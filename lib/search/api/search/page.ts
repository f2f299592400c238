/** Which hits of a result list an answer shows. */
export interface Page {
  from: number;
  size: number;
}

/** OpenSearch's default. Source: Search API reference. */
const DEFAULT_SIZE = 10;

/** Returns the page that a native body asks for, or undefined if the cluster will refuse it. */
export function pageOf(native: Record<string, unknown>): Page | undefined {
  const from = Number(native.from ?? 0);
  const size = Number(native.size ?? DEFAULT_SIZE);
  const valid = Number.isSafeInteger(from) && Number.isSafeInteger(size) && from >= 0 && size >= 0;
  return valid ? { from, size } : undefined;
}
