import { isObject, numberOf } from "../../platform/json/values.ts";
import type { SearchAnswer } from "./answer.ts";

/** Offset and number of the hits to show. */
export interface Page {
  from: number;
  size: number;
}

/** Sends one page of the cluster's own order. `aggregate: false` omits aggregations in a second call. */
export type SearchPage = (page: Page, options: { aggregate: boolean }) => Promise<SearchAnswer>;

/** OpenSearch's default. Source: Search API reference. */
const DEFAULT_SIZE = 10;

/** Returns the page that a native body requests; undefined if the cluster will refuse it. */
export function pageOf(native: Record<string, unknown>): Page | undefined {
  const from = numberOf(native.from ?? 0);
  const size = numberOf(native.size ?? DEFAULT_SIZE);
  return isCount(from) && isCount(size) ? { from, size } : undefined;
}

/** Returns whether a number is a count: whole, 0 or more. Like the cluster, endpoints accept 10.0 for 10. */
export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** Options that fix the order or merge hits, so that stages must not reorder them. */
const OWN_ORDER = ["sort", "collapse", "search_after"] as const;

/** Returns the option by which a native body keeps its own order, if it has one. */
export const ownOrderOf = (native: Record<string, unknown>): string | undefined =>
  OWN_ORDER.find((option) => native[option] !== undefined);

/**
 * Returns the reason if a response processor leaves out hits of a page: then a short page is not the end of the list, and no
 * window and no later page is known.
 */
export function droppingReason(processors: readonly unknown[]): string | undefined {
  const [name] =
    processors
      .flatMap((one) => (isObject(one) ? Object.entries(one) : []))
      .find(
        ([name, how]) => name === "collapse" || (name === "truncate_hits" && isObject(how) && "target_size" in how),
      ) ?? [];
  return name && `the search pipeline leaves out hits of each page (${name})`;
}
