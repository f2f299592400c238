import { isObject } from "../../platform/json/values.ts";
import { withNearFilter } from "../queries/bounded.ts";
import { changesQuery, type Effective, type Effects } from "./effects.ts";

/**
 * Returns a query with the filters, factors and hidden documents of rules; scores are otherwise unchanged. A knn query
 * with a filter also gets the rules' filters, so that its nearest documents match them.
 */
export function withEffects(query: unknown, effects: Effective): unknown {
  if (!changesQuery(effects)) return query;
  // A hybrid query can only be the whole query.
  const { hybrid } = isObject(query) ? query : {};
  if (isObject(hybrid) && Array.isArray(hybrid.queries)) {
    return { hybrid: { ...hybrid, queries: hybrid.queries.map((one) => withEffects(one, effects)) } };
  }
  const { hiddenIds, hidden, filters, weights } = effects;
  const filtered = filters.length > 0 ? filteredKnn(query, filters) : query;
  const functions = weights.map(({ filter, weight }) => ({ filter, weight }));
  const scored =
    functions.length === 0
      ? filtered
      : { function_score: { query: filtered, functions, score_mode: "multiply", boost_mode: "multiply" } };
  if (hiddenIds.length + hidden.length + filters.length === 0) return scored;
  return { bool: { must: [scored], ...(filters.length > 0 && { filter: filters }), ...withoutHidden(effects) } };
}

/** Returns the part of a bool query that excludes hidden documents. */
export function withoutHidden({ hiddenIds, hidden }: Pick<Effects, "hiddenIds" | "hidden">): { must_not?: unknown[] } {
  const must_not = [...(hiddenIds.length > 0 ? [{ ids: { values: hiddenIds } }] : []), ...hidden];
  return must_not.length > 0 ? { must_not } : {};
}

/**
 * Returns a knn query with additional filters, if it has one. Others stay unchanged, because not all engines support
 * filters.
 */
function filteredKnn(query: unknown, filters: readonly unknown[]): unknown {
  if (!isObject(query) || !isObject(query.knn)) return query;
  const [[field, knn] = ["", undefined], ...others] = Object.entries(query.knn);
  if (others.length > 0 || !isObject(knn) || !isObject(knn.filter)) return query;
  return { ...query, knn: { [field]: withNearFilter(knn, filters) } };
}
