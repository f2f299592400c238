import { numberOf } from "../../platform/json/values.ts";
import type { SearchAnswer } from "./answer.ts";

/** Which hits of a result list an answer shows. */
export interface Page {
  from: number;
  size: number;
}

/** Sends one page of the plain order. `aggregate: false` leaves aggregations out of a second call. */
export type SearchPage = (page: Page, options: { aggregate: boolean }) => Promise<SearchAnswer>;

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

/** Options that fix the order or merge hits, so that another order would contradict the caller. */
const OWN_ORDER = ["sort", "collapse", "search_after"] as const;

/** Returns the option by which a native body keeps its own order, if it has one. */
export const ownOrderOf = (native: Record<string, unknown>): string | undefined =>
  OWN_ORDER.find((option) => native[option] !== undefined);
