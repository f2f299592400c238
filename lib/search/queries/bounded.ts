import { invalidRequest } from "../../platform/http/validate.ts";
import { isObject, isRawNumber, numberOf } from "../../platform/json/values.ts";
import { JOINING, mapScoring } from "./scoring.ts";

/** Queries for nearest vectors, which take a filter of their own. */
const NEAREST = ["knn", "neural"];

/**
 * Returns a query whose hits all match the filters, with the same scores. Nearest vectors are those of matching
 * documents. Each subquery of a hybrid query gets the filters.
 */
export function bounded(query: unknown, filters: readonly unknown[]): unknown {
  if (filters.length === 0) return query;
  const { hybrid } = isObject(query) ? query : {};
  // A hybrid query can only be the whole query.
  if (isObject(hybrid) && Array.isArray(hybrid.queries)) {
    return { hybrid: { ...hybrid, queries: hybrid.queries.map((one) => bounded(one, filters)) } };
  }
  const near = withNearFilters(query, filters);
  // `neural` may be a query for tokens, which takes no filter.
  const isNear = isObject(near) && "knn" in near && Object.keys(near).length === 1;
  return isNear ? near : { bool: { must: [near], filter: filters } };
}

/**
 * Returns a query in which nearest vectors are those of documents that match the filters, as far as a clause `takes` them.
 * Only queries of the hits themselves are changed, not those of nested, parent or child documents.
 */
export function withNearFilters(
  query: unknown,
  filters: readonly unknown[],
  takes: (clause: Readonly<Record<string, unknown>>) => boolean = () => true,
): unknown {
  return mapScoring(query, (kind, value) => {
    if (NEAREST.includes(kind)) {
      const clauses = Object.entries(value).map(([field, clause]) => [
        field,
        isObject(clause) && takes(clause) ? withNearFilter(clause, filters) : clause,
      ]);
      return { [kind]: Object.fromEntries(clauses) };
    }
    // It has a score of its own, but its documents are those of its filter.
    if (kind === "constant_score")
      return { [kind]: { ...value, filter: withNearFilters(value.filter, filters, takes) } };
    return Object.hasOwn(JOINING, kind) ? { [kind]: value } : undefined;
  });
}

function withNearFilter(clause: Readonly<Record<string, unknown>>, filters: readonly unknown[]): object {
  const all = [clause.filter ?? [], ...filters].flat();
  return { ...clause, filter: all.length === 1 ? all[0] : { bool: { filter: all } } };
}

/** Members of a search that show or count documents besides those that its query finds. */
const BEYOND: Readonly<Record<string, string>> = {
  global: "a global aggregation counts all documents",
  children: "a children aggregation counts other documents",
  parent: "a parent aggregation counts other documents",
  completion: "a completion suggester returns documents of any kind",
};

/** The same of a token's filter, which hides documents: that they exist, what they contain, how many there are. */
const BEYOND_TOKENS: Readonly<Record<string, string>> = {
  ...BEYOND,
  significant_terms: "significant_terms counts terms of all documents",
  significant_text: "significant_text counts terms of all documents",
};

/** Aggregations whose empty buckets are between those of matches. */
const RANGES = ["histogram", "date_histogram", "auto_date_histogram"];

/**
 * Throws `invalid_request` if a search shows or counts documents that filters of the whole search cannot reach, or those
 * of a token. OpenSearch refuses suggesters, profiles and empty buckets in the same way with document-level security.
 * Source: DlsFlsValveImpl of the security plugin.
 */
export function requireReach(native: Readonly<Record<string, unknown>>, byToken = false): void {
  const { aggs, aggregations, suggest, query, profile } = native;
  const all = [aggs, aggregations];
  const message =
    beyond([...all, suggest], byToken ? BEYOND_TOKENS : BEYOND) ??
    joined(query) ??
    (byToken && suggest != null ? "suggesters read all documents" : undefined) ??
    (byToken && profile != null && profile !== false ? "a profile counts all documents" : undefined) ??
    (byToken ? emptyBuckets(all) : undefined);
  if (message !== undefined) {
    throw invalidRequest([{ path: "filter", message: `does not reach every part of the search: ${message}` }]);
  }
}

/** Returns why an aggregation or a suggester, each an object by name, is beyond filters. */
function beyond(value: unknown, reasons: Readonly<Record<string, string>>): string | undefined {
  if (Array.isArray(value)) return firstIn(value, (one) => beyond(one, reasons));
  if (!isObject(value)) return undefined;
  return firstIn(Object.values(value), (one) => {
    if (!isObject(one)) return undefined;
    const type = Object.keys(reasons).find((name) => isObject(one[name]));
    return type === undefined ? beyond([one.aggs, one.aggregations], reasons) : reasons[type];
  });
}

/** Returns why an aggregation shows terms of other documents: it has buckets without matches. */
function emptyBuckets(value: unknown): string | undefined {
  if (Array.isArray(value)) return firstIn(value, emptyBuckets);
  if (!isObject(value) || isRawNumber(value)) return undefined;
  return firstIn(Object.entries(value), ([type, body]) => {
    const count = isObject(body) && !RANGES.includes(type) ? (body.min_doc_count ?? 1) : 1;
    return numberOf(count) >= 1 ? emptyBuckets(body) : `min_doc_count of ${type} shows terms of other documents`;
  });
}

/** Returns why a query is beyond filters: it shows parents or children of its hits. */
function joined(query: unknown): string | undefined {
  if (Array.isArray(query)) return typeof query[0] === "number" ? undefined : firstIn(query, joined);
  if (!isObject(query)) return undefined;
  return firstIn(Object.entries(query), ([type, body]) =>
    (type === "has_child" || type === "has_parent") && isObject(body) && body.inner_hits !== undefined
      ? `inner_hits of ${type} are other documents`
      : joined(body),
  );
}

function firstIn<Item>(items: readonly Item[], check: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = check(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
