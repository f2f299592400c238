import { isObject } from "../../platform/json/values.ts";
import { withNearFilters } from "../queries/bounded.ts";
import { changesQuery, type Effective, type Effects } from "./effects.ts";

/**
 * Returns a query with the filters, factors and hidden documents of rules; scores are otherwise unchanged. A knn query
 * with a filter also gets the rules' filters, so that its nearest documents match them. Others do not, because not all
 * engines support filters.
 */
export function withEffects(query: unknown, effects: Effective): unknown {
  if (!changesQuery(effects)) return query;
  // A hybrid query can only be the whole query.
  const { hybrid } = isObject(query) ? query : {};
  if (isObject(hybrid) && Array.isArray(hybrid.queries)) {
    return { hybrid: { ...hybrid, queries: hybrid.queries.map((one) => withEffects(one, effects)) } };
  }
  const { hiddenIds, hidden, filters, weights } = effects;
  const filtered = filters.length > 0 ? withNearFilters(query, filters, hasFilter) : query;
  const functions = weights.map(({ filter, weight }) => ({ filter, weight }));
  const scored =
    functions.length === 0
      ? filtered
      : { function_score: { query: filtered, functions, score_mode: "multiply", boost_mode: "multiply" } };
  if (hiddenIds.length + hidden.length + filters.length === 0) return scored;
  return { bool: { must: [scored], ...(filters.length > 0 && { filter: filters }), ...withoutHidden(effects) } };
}

const hasFilter = ({ filter }: Readonly<Record<string, unknown>>): boolean => isObject(filter);

/** Returns the part of a bool query that excludes hidden documents. */
export function withoutHidden({ hiddenIds, hidden }: Pick<Effects, "hiddenIds" | "hidden">): { must_not?: unknown[] } {
  const must_not = [...(hiddenIds.length > 0 ? [{ ids: { values: hiddenIds } }] : []), ...hidden];
  return must_not.length > 0 ? { must_not } : {};
}
