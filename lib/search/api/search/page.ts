import { numberOf } from "../../../core/json/values.ts";

/** Which hits of a result list an answer shows. */
export interface Page {
  from: number;
  size: number;
}

/** OpenSearch's default. Source: Search API reference. */
const DEFAULT_SIZE = 10;

/** Returns the page that a native body asks for, or undefined if the cluster will refuse it. */
export function pageOf(native: Record<string, unknown>): Page | undefined {
  const from = numberOf(native.from ?? 0);
  const size = numberOf(native.size ?? DEFAULT_SIZE);
  return isCount(from) && isCount(size) ? { from, size } : undefined;
}

/** Whether a number counts something: whole, 0 or more. The cluster takes 10.0 for 10, and so do the endpoints. */
export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
