/** Permissions of each function in a cluster with fine-grained access control, computed from its calls. */
import type { Endpoint, KeyRules } from "../../platform/http/access.ts";
import { RUN_INDEXES } from "../index-meta/run-names.ts";
import { nativeCalls } from "./calls.ts";

/** The body of a role of OpenSearch's security plugin. */
export interface ClusterRole {
  cluster_permissions: readonly string[];
  index_permissions: readonly { index_patterns: readonly string[]; allowed_actions: readonly string[] }[];
}

/** A call: a method and a path, in which `{…}` is a name. */
export type Call = readonly [method: string, path: string];

/** The plugin looks at each write of a bulk request, too, and sees one in a call for one document. A new field needs a mapping. */
const BULK = "indices:data/write/bulk*";
const INDEX = `${BULK} indices:data/write/index indices:admin/mapping/put`;
const UPDATE = `${INDEX} indices:data/write/update*`;
const DELETE = `${BULK} indices:data/write/delete`;
const SEARCH = "indices:data/read/search";
const BY_QUERY = `${SEARCH} indices:data/read/scroll indices:data/read/scroll/clear`;
const ALIASES = { GET: "indices:admin/aliases/get", PUT: "indices:admin/aliases", DELETE: "indices:admin/aliases" };

/**
 * The cluster's actions by path without names, and by method where these differ. A star stands for what shards do. Source: what
 * OpenSearch's security plugin demands for each call: see test/contract/cluster-role.test.ts.
 */
const ACTIONS: Readonly<Record<string, string | Readonly<Partial<Record<"GET" | "PUT" | "DELETE", string>>>>> = {
  "": "cluster:monitor/main",
  "{index}": { GET: "indices:admin/get", PUT: "indices:admin/create", DELETE: "indices:admin/delete" },
  _alias: ALIASES,
  _aliases: ALIASES,
  _analyze: "indices:admin/analyze*",
  "_block/write": "indices:admin/block/add*",
  _bulk: `${UPDATE} indices:data/write/delete`,
  "_cat/count": SEARCH,
  "_cat/indices": "cluster:monitor/health cluster:monitor/state indices:monitor/settings/get indices:monitor/stats*",
  "_cluster/health": "cluster:monitor/health",
  _count: SEARCH,
  _create: INDEX,
  _delete_by_query: `${BY_QUERY} ${DELETE} indices:data/write/delete/byquery`,
  "_delete_by_query/_rethrottle": "cluster:admin/reindex/rethrottle",
  _doc: {
    GET: "indices:data/read/get*",
    PUT: INDEX,
    DELETE,
  },
  _explain: "indices:data/read/explain*",
  _field_caps: "indices:data/read/field_caps*",
  _forcemerge: "indices:admin/forcemerge*",
  _mapping: { GET: "indices:admin/mappings/get", PUT: "indices:admin/mapping/put" },
  "_mapping/field": "indices:admin/mappings/fields/get*",
  _mget: "indices:data/read/mget*",
  _msearch: `${SEARCH} indices:data/read/msearch`,
  _mtermvectors: "indices:data/read/mtv*",
  _nodes: "cluster:monitor/nodes/info",
  _rank_eval: `${SEARCH} indices:data/read/msearch indices:data/read/rank_eval`,
  _refresh: "indices:admin/refresh*",
  _reindex: `${BY_QUERY} ${INDEX} indices:data/write/reindex`,
  "_reindex/_rethrottle": "cluster:admin/reindex/rethrottle",
  _search: SEARCH,
  "_search/pipeline": "cluster:admin/search/pipeline/get",
  "_search/point_in_time": {
    PUT: "indices:data/read/point_in_time/create",
    DELETE: "indices:data/read/point_in_time/delete",
  },
  "_search/scroll": {
    PUT: "indices:data/read/scroll",
    GET: "indices:data/read/scroll",
    DELETE: "indices:data/read/scroll/clear",
  },
  _search_shards: `${SEARCH} indices:admin/shards/search_shards`,
  _settings: { GET: "indices:monitor/settings/get", PUT: "indices:admin/settings/update" },
  _source: "indices:data/read/get*",
  _stats: "indices:monitor/stats*",
  "_stats/docs,store": "indices:monitor/stats*",
  _tasks: "cluster:monitor/task/get",
  "_tasks/_cancel": "cluster:admin/tasks/cancel*",
  _termvectors: "indices:data/read/tv*",
  _update: UPDATE,
  _update_by_query: `${BY_QUERY} ${BULK} indices:data/write/index indices:data/write/update/byquery`,
  "_update_by_query/_rethrottle": "cluster:admin/reindex/rethrottle",
  "_validate/query": "indices:admin/validate/query*",
};

/** Returns the actions of a call. Throws for one that the table lacks. */
export function actionsOf([method, path]: Call): string[] {
  const segments = path.split("/").slice(1).filter(Boolean);
  const key = segments[0]?.startsWith("_") || segments.length !== 1 ? keyOf(segments) : "{index}";
  const row = ACTIONS[key];
  const as = method === "HEAD" ? "GET" : method === "POST" ? "PUT" : (method as "GET" | "PUT" | "DELETE");
  const actions = typeof row === "object" ? row[as] : row;
  if (actions === undefined) throw new Error(`no actions are known for ${method} ${path}`);
  return actions.split(" ");
}

const keyOf = (segments: readonly string[]) =>
  segments
    .slice(segments[0]?.startsWith("_") ? 0 : 1)
    .filter((one) => !one.startsWith("{"))
    .join("/");

const READ_INDEXES: Call[] = [
  ["GET", "/"],
  ["GET", "/_nodes"],
  ["GET", "/{index}"],
  ["GET", "/_search/pipeline/{id}"],
];
/** A write waits while a rebuild holds it, and ends a hold that has expired. */
const HOLDS: Call[] = [
  ["GET", "/_alias/{hold}"],
  ["POST", "/_aliases"],
  ["PUT", "/{index}/_settings"],
];
const SEARCHES: Call[] = [
  ...READ_INDEXES,
  ["POST", "/{index}/_search"],
  ["POST", "/_msearch"],
  ["POST", "/{index}/_mget"],
  ["GET", "/{index}/_search_shards"],
];
const WRITES: Call[] = [...READ_INDEXES, ...HOLDS, ["POST", "/{index}/_bulk"], ["POST", "/{index}/_mget"]];
const nativeOf = (audience: "application" | "administration"): Call[] =>
  nativeCalls(audience).flatMap(({ methods, segments }) =>
    [...methods].map((method): Call => [method, `/${segments.join("/")}`]),
  );

/** The calls of api-router by the endpoint that a key may use. */
const OF_ENDPOINT: Partial<Record<Endpoint, Call[]>> = {
  search: SEARCHES,
  "hybrid-search": SEARCHES,
  suggest: SEARCHES,
  bulk: WRITES,
  "raw-backend": [...READ_INDEXES, ...HOLDS, ...nativeOf("application")],
  administration: [...WRITES, ...nativeOf("administration")],
};

const SUGGESTIONS: Call[] = [
  ...[
    ["GET", "/"],
    ["GET", "/{index}"],
    ["PUT", "/{index}"],
    ["DELETE", "/{index}"],
    ["POST", "/{index}/_bulk"],
  ],
  ...[
    ["POST", "/{index}/_count"],
    ["POST", "/{index}/_refresh"],
    ["POST", "/{index}/_forcemerge"],
  ],
  ...[
    ["GET", "/{index}/_alias"],
    ["POST", "/_aliases"],
    ["POST", "/{index}/_search"],
  ],
  ...[
    ["POST", "/_search/scroll"],
    ["DELETE", "/_search/scroll"],
  ],
] as unknown as Call[];

type Key = Pick<KeyRules, "endpoints" | "indexes">;

/** Returns the role of api-router for these keys, with the indexes that no key names; without keys it may be sent everything. */
export function gatewayRole(keys: readonly Key[] | undefined, unnamed: readonly string[] = []): ClusterRole {
  const endpoints = keys?.flatMap((one) => one.endpoints) ?? (Object.keys(OF_ENDPOINT) as Endpoint[]);
  const calls = [...new Set(endpoints)].flatMap((one) => OF_ENDPOINT[one] ?? []);
  const patterns = keys?.flatMap(({ indexes }) => indexes ?? "*") ?? ["*"];
  const own = [...unnamed, ...(endpoints.includes("administration") ? [RUN_INDEXES] : [])];
  return roleOf(calls, patterns.includes("*") ? ["*"] : [...patterns, ...own]);
}

/** Returns the role of the function suggestions, which reads and writes these indexes. */
export const suggestionsRole = (indexes: readonly string[]): ClusterRole => roleOf(SUGGESTIONS, indexes);

/** The plugin demands these for all indexes: an alias is looked for among all, and a text is analyzed without an index. */
const OF_ALL = [ALIASES.GET, "indices:admin/analyze*"];

/** Returns the role that may send these calls to the indexes of these patterns. */
export function roleOf(calls: readonly Call[], patterns: readonly string[]): ClusterRole {
  const actions = [...new Set([["GET", "/"] as const, ...calls].flatMap(actionsOf))].sort();
  const whole = actions.map((one) => one.replace(/\*$/, "")).filter(isOfCluster);
  const index_patterns = [...new Set(patterns)].sort();
  const ofAll = index_patterns.includes("*") ? [] : actions.filter((one) => OF_ALL.includes(one));
  return {
    cluster_permissions: [...new Set(whole)],
    index_permissions: [
      { index_patterns, allowed_actions: actions.filter((one) => !isOfCluster(one)) },
      ...(ofAll.length > 0 ? [{ index_patterns: ["*"], allowed_actions: ofAll }] : []),
    ],
  };
}

/**
 * Returns whether an action needs a permission of the cluster, not of an index, although some of these name indexes. Source: the
 * security plugin, `PrivilegesEvaluator.isClusterPerm`.
 */
export const isOfCluster = (action: string): boolean =>
  /^(cluster:|indices:admin\/(index_)?template\/|indices:data\/read\/(scroll|msearch)|indices:data\/(read\/(mget|mtv)|write\/(bulk|reindex))$)/.test(
    action,
  );
