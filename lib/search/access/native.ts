import { describeKey, type KeyRules } from "../../core/http/access.ts";
import * as read from "./bodies.ts";
import { type BodyReader, hiddenRefusal } from "./bodies.ts";
import { aliasRefusal, firstOf, namesRefusal, type Refusal, type Rule, refusal, shown } from "./names.ts";
import { queryRefusal, strictJson } from "./query.ts";

/** A call of the cluster's own API, as it will be sent. */
export interface NativeRequest {
  method: string;
  /** Path segments, percent-decoded once, as the cluster does. */
  segments: readonly string[];
  /** Names and values of the query string, decoded, with every repetition. */
  parameters: ReadonlyArray<readonly [name: string, value: string]>;
  contentType: string | undefined;
  body: Buffer;
}

/** Returns whether a call matches a rule `METHOD pattern`. */
export type CallPattern = (call: Pick<NativeRequest, "method" | "segments">) => boolean;

export interface AllowOptions {
  /** Whether the recommended calls are let through. */
  recommended: boolean;
  /** Calls that are let through as well, for keys without patterns. */
  added: readonly CallPattern[];
}

/**
 * Decides on a call by an allow list, without any call to the cluster. Returns undefined if it is let through, else the
 * rule that refuses it. Whatever names an index is decoded as the cluster decodes it, and must be within the patterns
 * of the key; a name that starts with a dot is refused everywhere.
 */
export function nativeRefusal(
  key: KeyRules,
  call: NativeRequest,
  { recommended, added }: AllowOptions,
): Refusal | undefined {
  const grant = key.indexes;
  const endpoint = recommended || grant ? recommendedEndpoint(call.method, call.segments) : undefined;
  const found = endpoint ? endpointRefusal(endpoint, key, call) : unknownCall(call);
  if (!found || grant !== undefined || !added.some((matches) => matches(call))) return found;
  return dotRefusal(call);
}

const unknownCall = ({ method, segments }: NativeRequest) =>
  refusal("endpoint", `${method} ${shown(`/${segments.join("/")}`)} is not among the calls that are let through`);

function endpointRefusal(endpoint: NativeEndpoint, key: KeyRules, call: NativeRequest): Refusal | undefined {
  const { segments, parameters, contentType, body } = call;
  const grant = key.indexes;
  if (grant !== undefined && endpoint.unbounded !== undefined) {
    return refusal(endpoint.unbounded, `a key with indexes (${describeKey(key)}) cannot be limited there`);
  }
  const hasIndex = endpoint.segments[0] === "{index}";
  const named = hasIndex ? namesRefusal(segments[0] ?? "", grant, endpoint) : undefined;
  if (named) return named;
  const alias = endpoint.segments.indexOf("{alias}");
  const wrongAlias = alias === -1 ? undefined : aliasRefusal(segments[alias] ?? "");
  const wrong =
    wrongAlias ?? firstOf(parameters, ([name, value]) => parameterRefusal(name, value, grant !== undefined));
  if (wrong) return wrong;
  if (body.length > 0 && !JSON_TYPE.test(contentType ?? "")) {
    return refusal("content-type", "the body is not declared to be JSON");
  }
  return endpoint.body?.({ text: body.toString("utf8"), grant, hasIndex });
}

/** The content types of bodies that the gateway reads. */
export const JSON_TYPE = /^\s*application\/(vnd\.opensearch\+)?(x-ndjson|json)\s*(;|$)/i;

/** Parameters that cannot name an index or hold a query. `source`, for one, is a body in the query string. */
const PARAMETERS = new Set(
  `allow_no_indices allow_partial_search_results analyze_wildcard analyzer batched_reduce_size cancel_after_time_interval
  ccs_minimize_roundtrips cluster_manager_timeout conflicts default_operator detect_noop df doc_as_upsert docvalue_fields
  error_trace explain field_statistics fields filter_path flat_settings format from human if_primary_term if_seq_no
  ignore_throttled ignore_unavailable include_defaults include_named_queries_score include_unmapped keep_alive lenient local
  master_timeout max_concurrent_searches max_concurrent_shard_requests max_docs offsets op_type payloads phase_took positions
  pre_filter_shard_size preference preserve_existing pretty q realtime refresh request_cache requests_per_second require_alias
  rest_total_hits_as_int retry_on_conflict rewrite routing scroll_size search_timeout search_type seq_no_primary_term size
  slices sort stats stored_fields suggest_field suggest_mode suggest_size suggest_text term_statistics terminate_after timeout
  track_scores track_total_hits typed_keys verbose version version_type wait_for_active_shards wait_for_completion
  write_index_only _source _source_excludes _source_exclude _source_includes _source_include all_shards allow_partial_pit_creation
  ignore_unmapped`.split(/\s+/),
);

/** Parameters for keys without patterns: what they name can change or hide the indexes. */
const UNBOUNDED_PARAMETERS = new Set(["pipeline", "search_pipeline", "scroll"]);

function parameterRefusal(name: string, value: string, bounded: boolean): Refusal | undefined {
  if (name === "expand_wildcards") return hiddenRefusal(value);
  if (PARAMETERS.has(name) || (UNBOUNDED_PARAMETERS.has(name) && !bounded)) return undefined;
  return refusal("parameter", `the parameter ${shown(name)} is not among those that are let through`);
}

/** Returns why a call that a project added to the list is refused: it names an index with a dot, in path or body. */
function dotRefusal({ segments, parameters, body }: NativeRequest): Refusal | undefined {
  const values = [...segments, ...parameters.filter(([name]) => name === "index").map(([, value]) => value)];
  const named = firstOf(values, (value) => {
    const found = namesRefusal(value, undefined, { wildcards: true });
    return found?.rule === "dot-index" || found?.rule === "date-math" ? found : undefined;
  });
  const parsed = named || body.length === 0 ? undefined : strictJson(body.toString("utf8"));
  return named ?? (parsed ? queryRefusal(parsed.value, undefined) : undefined);
}

/** A call of the cluster's own API that `recommended` lets through. */
interface NativeEndpoint {
  methods: ReadonlySet<string>;
  /** Segments; `{index}` is an index expression and any other `{…}` one segment of free text. */
  segments: readonly string[];
  /** Whether the index expression may hold wildcards. */
  wildcards: boolean;
  /** Returns why the body is refused. Undefined if no body can name an index, as with a document or a mapping. */
  body?: BodyReader;
  /** The rule that refuses this call to keys with patterns, for which it cannot be bounded. */
  unbounded?: Rule;
}

type Options = Partial<Pick<NativeEndpoint, "wildcards" | "body" | "unbounded">>;

const endpoint = (methods: string, path: string, options: Options = {}): NativeEndpoint => ({
  methods: new Set(methods.split(" ")),
  segments: path === "/" ? [] : path.slice(1).split("/"),
  wildcards: false,
  ...options,
});

const searching: Options = { wildcards: true, body: read.query };
const describing: Options = { wildcards: true };

/** What an application needs of the cluster: nothing that concerns other indexes, other users or the cluster. */
const RECOMMENDED: readonly NativeEndpoint[] = [
  endpoint("GET HEAD", "/"),

  endpoint("GET HEAD", "/{index}", describing),
  endpoint("PUT", "/{index}", { body: read.newIndex }),
  endpoint("DELETE", "/{index}"),

  endpoint("POST", "/{index}/_doc"),
  endpoint("GET HEAD PUT POST DELETE", "/{index}/_doc/{id}"),
  endpoint("PUT POST", "/{index}/_create/{id}"),
  endpoint("POST", "/{index}/_update/{id}"),
  endpoint("GET HEAD", "/{index}/_source/{id}"),
  endpoint("PUT POST", "/_bulk", { body: read.bulk }),
  endpoint("PUT POST", "/{index}/_bulk", { body: read.bulk }),
  endpoint("GET POST", "/_mget", { body: read.query }),
  endpoint("GET POST", "/{index}/_mget", { body: read.query }),
  endpoint("POST", "/{index}/_delete_by_query", { body: read.query }),
  endpoint("POST", "/{index}/_update_by_query", { body: read.query }),
  endpoint("POST", "/_reindex", { body: read.reindex }),
  // Only tasks that the key has started.
  endpoint("GET", "/_tasks/{task}"),
  endpoint("POST", "/_tasks/{task}/_cancel"),
  endpoint("POST", "/_reindex/{task}/_rethrottle"),
  endpoint("POST", "/_update_by_query/{task}/_rethrottle"),
  endpoint("POST", "/_delete_by_query/{task}/_rethrottle"),

  endpoint("GET POST", "/_search", { body: read.pointInTimeSearch, unbounded: "open-search" }),
  endpoint("GET POST", "/{index}/_search", searching),
  endpoint("GET POST", "/_msearch", { body: read.multiSearch }),
  endpoint("GET POST", "/{index}/_msearch", { wildcards: true, body: read.multiSearch }),
  endpoint("GET POST", "/{index}/_count", searching),
  endpoint("GET POST", "/{index}/_validate/query", searching),
  endpoint("GET POST", "/{index}/_explain/{id}", { body: read.query }),
  endpoint("GET POST", "/{index}/_field_caps", searching),
  endpoint("GET POST", "/{index}/_rank_eval", { wildcards: true, body: read.rankEvaluation }),
  endpoint("GET POST", "/{index}/_termvectors", { body: read.query }),
  endpoint("GET POST", "/{index}/_termvectors/{id}", { body: read.query }),
  endpoint("GET POST", "/_mtermvectors", { body: read.query }),
  endpoint("GET POST", "/{index}/_mtermvectors", { body: read.query }),

  endpoint("POST", "/{index}/_search/point_in_time", { wildcards: true, unbounded: "open-search" }),
  endpoint("DELETE", "/_search/point_in_time", { unbounded: "open-search" }),
  endpoint("GET POST DELETE", "/_search/scroll", { unbounded: "open-search" }),

  endpoint("GET", "/{index}/_mapping", describing),
  endpoint("GET", "/{index}/_mapping/field/{fields}", describing),
  endpoint("PUT POST", "/{index}/_mapping"),
  endpoint("GET", "/{index}/_settings", describing),
  endpoint("GET", "/{index}/_settings/{name}", describing),
  endpoint("PUT", "/{index}/_settings", { body: read.settings }),
  endpoint("GET HEAD", "/{index}/_alias", describing),
  endpoint("GET HEAD", "/{index}/_alias/{name}", describing),
  endpoint("PUT POST", "/{index}/_alias/{alias}", { body: read.query, unbounded: "alias" }),
  endpoint("DELETE", "/{index}/_alias/{name}", { unbounded: "alias" }),
  endpoint("POST", "/_aliases", { body: read.aliasActions, unbounded: "alias" }),

  endpoint("GET POST", "/{index}/_refresh", describing),
  endpoint("GET POST", "/_analyze"),
  endpoint("GET POST", "/{index}/_analyze"),
];

/** Endpoints by the number of segments and the segment that names them, so that few are compared. */
const BY_SHAPE = Map.groupBy(RECOMMENDED, ({ segments }) => shape(segments));

/** Returns the recommended endpoint of a call, or undefined if it is not one. */
function recommendedEndpoint(method: string, segments: readonly string[]): NativeEndpoint | undefined {
  return BY_SHAPE.get(shape(segments))?.find(
    (one) => one.methods.has(method) && one.segments.every((part, at) => fits(part, segments[at] ?? "")),
  );
}

/** Only an index can stand before the name of an operation. Free text, such as a document id, can be anything. */
function shape(segments: readonly string[]): string {
  const [first = ""] = segments;
  return first.startsWith("_") && first !== "_all"
    ? `${first}/${segments.length}`
    : `/${segments[1] ?? ""}/${segments.length}`;
}

function fits(part: string, segment: string): boolean {
  if (part === "{index}") return !segment.startsWith("_") || segment === "_all";
  return part.startsWith("{") ? segment !== "" : part === segment;
}
