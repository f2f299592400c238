import type { GatewayCall } from "../evaluation/settings-file.ts";

type Native = Readonly<Record<string, unknown>>;

/** Members of a native body that the place of a hit does not depend on. */
const SHOWN = ["aggs", "aggregations", "highlight", "suggest", "explain", "profile", "from", "size"];

const isObject = (value: unknown): value is Native =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The member of a call that has the native body. */
const memberOf = ({ path }: GatewayCall) =>
  path === "/application/search" ? "search_request" : "search_request_template";

export const nativeOf = (call: GatewayCall): Native => call.body[memberOf(call)] as Native;

/** Returns a call for the first hits, with what decides their places alone. */
export function firstHits(call: GatewayCall, size: number): GatewayCall {
  const kept = Object.entries(nativeOf(call)).filter(([member]) => !SHOWN.includes(member));
  return { ...call, body: { ...call.body, [memberOf(call)]: { ...Object.fromEntries(kept), size } } };
}

/** Returns a call for the list as the cluster makes it: without rules, and without the stages behind it. */
export function withoutStages(call: GatewayCall): GatewayCall {
  // A user would take part in experiments.
  const { user_id: _, rerank: _rerank, business_rules: _rules, explain_stages: _explain, ...body } = call.body;
  return { ...call, body: { ...body, rule_set: "none", rerank: { is_enabled: false }, boost: {}, variety: {} } };
}

/** Returns the subqueries of a hybrid search, each with the filter that they share; undefined for a plain search. */
export function subqueriesOf(call: GatewayCall): Native[] | undefined {
  const { query } = nativeOf(call);
  const hybrid = isObject(query) ? query.hybrid : undefined;
  if (!isObject(hybrid) || !Array.isArray(hybrid.queries)) return undefined;
  const { queries, filter } = hybrid;
  return filter === undefined ? queries : queries.map((one) => withFilter(one, filter));
}

/**
 * Returns a query for those of its documents that pass a filter. The nearest vectors are then those that pass, as for the
 * `filter` of a hybrid query.
 */
export function withFilter(query: Native, filter: unknown): Native {
  const { knn } = query;
  const [[field, own] = ["", undefined], ...others] = isObject(knn) ? Object.entries(knn) : [];
  if (others.length > 0 || !isObject(own)) return { bool: { must: [query], filter: [filter] } };
  const both = own.filter === undefined ? filter : { bool: { filter: [own.filter, filter] } };
  return { knn: { [field]: { ...own, filter: both } } };
}

/** The field whose nearest vectors a query finds; undefined for another query. */
export function vectorField({ knn }: Native): string | undefined {
  return isObject(knn) ? Object.keys(knn)[0] : undefined;
}

/** Returns the call for the candidates of subqueries of a hybrid search. */
export function candidatesCall({ body }: GatewayCall, queries: readonly unknown[], depth?: number) {
  const { index, search_query, synonyms, locale } = body;
  return {
    path: "/application/hybrid-search/candidates",
    body: {
      ...{ index, search_query, search_request_template: { query: { hybrid: { queries } } } },
      ...(synonyms !== undefined && { synonyms }),
      ...(locale !== undefined && { locale }),
      ...(depth !== undefined && { depth }),
    },
  };
}
