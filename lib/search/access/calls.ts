import { RUN_INDEXES } from "../index-meta/run-names.ts";
import * as form from "./administration-bodies.ts";
import * as read from "./bodies.ts";
import type { Rule } from "./names.ts";

/** A call of the cluster's own API, as it will be sent to the cluster. */
export interface NativeRequest {
  method: string;
  /** Path segments, percent-decoded once, as the cluster does. */
  segments: readonly string[];
  /** Names and values of the query string, decoded, with every repetition. */
  parameters: ReadonlyArray<readonly [name: string, value: string]>;
  contentType: string | undefined;
  body: Buffer;
}

/** Returns the endpoint that follows the index in a path, such as `_search`, and the segment after it. */
export function endpointOf(segments: readonly string[]): { name: string; next: string } {
  const [name = "", next = ""] = segments.slice(segments[0]?.startsWith("_") && segments[0] !== "_all" ? 0 : 1);
  return { name, next };
}

/** Paths of calls whose bodies contain a query as text. */
export const TEMPLATE_PATH = /(^|\/)(_search|_msearch|_render)\/template(\/|$)/;

/** A call that is allowed without `raw_backend: all`. */
export interface NativeCall {
  /**
   * The keys that may make the call: those whose `raw_backend` allows the recommended calls, or those with the endpoint
   * `administration`.
   */
  audience: "application" | "administration";
  methods: ReadonlySet<string>;
  /**
   * Path segments. `{index}` is an index expression, `{index|run}` an index expression or the index of a run, `{runs}`
   * the pattern of all runs' indexes, `{alias}` the name of a new alias. Any other `{…}` is one segment of free text.
   */
  segments: readonly string[];
  /** Whether the index expression may contain wildcards. */
  wildcards: boolean;
  /**
   * Allowed parameters, as `name` or `name=value`. If undefined, all that neither name an index nor contain a query.
   */
  parameters?: readonly string[];
  /** Checks the body. Undefined if no body can name an index or contain a script, as for a document. */
  body?: read.BodyReader;
  /**
   * Rule by which the call is refused to keys with index patterns, because its indexes cannot be read from the call.
   */
  unbounded?: Rule;
}

type Row = [methods: string, target: string, options?: Partial<NativeCall>];

const callsOf = (audience: NativeCall["audience"], list: readonly Row[], defaults: Partial<NativeCall> = {}) =>
  list.map(([methods, target, options]): NativeCall => {
    const [path = "", parameters] = target.split("?");
    return {
      audience,
      methods: new Set(methods.split(" ")),
      segments: path === "/" ? [] : path.slice(1).split("/"),
      wildcards: false,
      ...defaults,
      ...(parameters !== undefined && { parameters: parameters.split("&") }),
      ...options,
    };
  });

const searching = { wildcards: true, body: read.query };
const describing = { wildcards: true };

/** Calls for applications: they do not affect other indexes, other users or the cluster. */
const APPLICATION = callsOf("application", [
  ["GET HEAD", "/"],

  ["GET HEAD", "/{index}", describing],
  ["PUT", "/{index}", { body: read.newIndex }],
  ["DELETE", "/{index}"],

  ["POST", "/{index}/_doc"],
  ["GET HEAD PUT POST DELETE", "/{index}/_doc/{id}"],
  ["PUT POST", "/{index}/_create/{id}"],
  ["POST", "/{index}/_update/{id}", { body: read.update }],
  ["GET HEAD", "/{index}/_source/{id}"],
  ["PUT POST", "/_bulk", { body: read.bulk }],
  ["PUT POST", "/{index}/_bulk", { body: read.bulk }],
  ["GET POST", "/_mget", { body: read.query }],
  ["GET POST", "/{index}/_mget", { body: read.query }],
  ["POST", "/{index}/_delete_by_query", { body: read.byQuery }],
  ["POST", "/{index}/_update_by_query", { body: read.byQuery }],
  ["POST", "/_reindex", { body: read.reindex }],
  // Only tasks that the key has started.
  ["GET", "/_tasks/{task}"],
  ["POST", "/_tasks/{task}/_cancel"],
  ["POST", "/_reindex/{task}/_rethrottle"],
  ["POST", "/_update_by_query/{task}/_rethrottle"],
  ["POST", "/_delete_by_query/{task}/_rethrottle"],

  ["GET POST", "/_search", { body: read.pointInTimeSearch, unbounded: "open-search" }],
  ["GET POST", "/{index}/_search", searching],
  ["GET POST", "/_msearch", { body: read.multiSearch }],
  ["GET POST", "/{index}/_msearch", { wildcards: true, body: read.multiSearch }],
  ["GET POST", "/{index}/_count", searching],
  ["GET POST", "/{index}/_validate/query", searching],
  ["GET POST", "/{index}/_explain/{id}", { body: read.query }],
  ["GET POST", "/{index}/_field_caps", searching],
  ["GET POST", "/{index}/_rank_eval", { wildcards: true, body: read.rankEvaluation }],
  ["GET POST", "/{index}/_termvectors", { body: read.query }],
  ["GET POST", "/{index}/_termvectors/{id}", { body: read.query }],
  ["GET POST", "/_mtermvectors", { body: read.query }],
  ["GET POST", "/{index}/_mtermvectors", { body: read.query }],

  ["POST", "/{index}/_search/point_in_time", { wildcards: true, unbounded: "open-search" }],
  ["DELETE", "/_search/point_in_time", { body: read.openIds, unbounded: "open-search" }],
  ["GET POST", "/_search/scroll", { unbounded: "open-search" }],
  ["DELETE", "/_search/scroll", { body: read.openIds, unbounded: "open-search" }],

  ["GET", "/{index}/_mapping", describing],
  ["GET", "/{index}/_mapping/field/{fields}", describing],
  ["PUT POST", "/{index}/_mapping", { body: read.mapping }],
  ["GET", "/{index}/_settings", describing],
  ["GET", "/{index}/_settings/{name}", describing],
  ["PUT", "/{index}/_settings", { body: read.settings }],
  ["GET HEAD", "/{index}/_alias", describing],
  ["GET HEAD", "/{index}/_alias/{name}", describing],
  ["PUT POST", "/{index}/_alias/{alias}", { body: read.query, unbounded: "alias" }],
  ["DELETE", "/{index}/_alias/{name}", { unbounded: "alias" }],
  ["POST", "/_aliases", { body: read.aliasActions, unbounded: "alias" }],

  ["GET POST", "/{index}/_refresh", describing],
  ["GET POST", "/_analyze", { body: read.analyze }],
  ["GET POST", "/{index}/_analyze", { body: read.analyze }],

  ["GET HEAD", "/_alias/{index}"],
  ["GET", "/_cat/count/{index}", describing],
  ["GET", "/_cat/indices/{index}", describing],
  ["GET", "/_cluster/health/{index}", describing],
]);

/** Calls of `relevance index` and `relevance backfill`, limited to the bodies of these commands. */
const ADMINISTRATION = callsOf(
  "administration",
  [
    ["GET", "/"],
    ["GET", "/{index}?flat_settings", { wildcards: true }],
    ["PUT", "/{index|run}", { body: form.newIndex }],
    ["DELETE", "/{index|run}"],
    ["GET", "/{index}/_mapping", { wildcards: true }],
    ["GET", "/{index}/_stats?level", { wildcards: true }],
    ["GET", "/{index}/_stats/docs,store", { wildcards: true }],
    ["GET", "/{index}/_settings?flat_settings"],
    ["PUT", "/{index}/_settings", { body: form.lateSettings }],
    ["POST", "/{index|run}/_refresh"],
    [
      "POST",
      "/{index|run}/_search?preference&allow_partial_search_results&request_cache&search_pipeline=_none",
      {
        body: form.search,
      },
    ],
    ["POST", "/{index}/_mget?_source&realtime&preference", { body: form.documents }],
    ["POST", "/{index|run|target}/_bulk?filter_path&require_alias&pipeline=_none", { body: read.bulk }],
    ["PUT", "/{index}/_block/write"],
    ["GET", "/{index}/_alias"],
    ["GET", "/_alias/{hold}"],
    ["POST", "/_aliases", { body: form.aliases }],
    ["GET DELETE", "/{run}/_doc/{id}"],
    ["PUT", "/{run}/_doc/{id}?op_type&if_seq_no&if_primary_term", { body: form.anything }],
    ["POST", "/{runs}/_refresh?expand_wildcards=all"],
    ["POST", "/{runs}/_search?expand_wildcards=all", { body: form.runs }],
  ],
  { parameters: [], body: form.none },
);

/** The calls by number of segments and by the segment with the operation, so that few are compared. */
const BY_SHAPE = Map.groupBy([...APPLICATION, ...ADMINISTRATION], ({ segments }) => shape(segments));

/** Returns the calls of an audience. */
export const nativeCalls = (audience: NativeCall["audience"]): readonly NativeCall[] =>
  audience === "application" ? APPLICATION : ADMINISTRATION;

/** Returns the call of the table that a request matches for an audience; undefined if none. */
export function nativeCall(
  audience: NativeCall["audience"],
  { method, segments }: Pick<NativeRequest, "method" | "segments">,
): NativeCall | undefined {
  return BY_SHAPE.get(shape(segments))?.find(
    (one) =>
      one.audience === audience &&
      one.methods.has(method) &&
      one.segments.every((part, at) => fits(part, segments[at] ?? "", audience)),
  );
}

/**
 * Returns the lookup key of a path. Only an index can precede the name of an operation; free text, such as a document
 * id, can be anything.
 */
function shape(segments: readonly string[]): string {
  const [first = ""] = segments;
  return first.startsWith("_") && first !== "_all"
    ? `${first}/${segments.length}`
    : `/${segments[1] ?? ""}/${segments.length}`;
}

function fits(part: string, segment: string, audience: NativeCall["audience"]): boolean {
  if (part === "{runs}") return segment === RUN_INDEXES;
  if (!/^\{(index|run)/.test(part)) return part.startsWith("{") ? segment !== "" : part === segment;
  // Only calls that say so may use the indexes of all runs at once.
  if (audience === "administration" && segment === RUN_INDEXES) return false;
  return !segment.startsWith("_") || segment === "_all";
}
