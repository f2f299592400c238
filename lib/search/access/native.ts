import { describeKey, type KeyRules } from "../../platform/http/access.ts";
import { parseJson } from "../../platform/json/values.ts";
import * as read from "./bodies.ts";
import { type BodyReader, hiddenRefusal } from "./bodies.ts";
import { pageLimit, parameterLimit } from "./limits.ts";
import { aliasRefusal, firstOf, type Grant, namesRefusal, type Refusal, type Rule, refusal, shown } from "./names.ts";
import { type Rights, rightsOf } from "./rights.ts";
import { systemRefusal } from "./system.ts";

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
  const endpoint = recommendedEndpoint(call.method, call.segments);
  const found = endpoint ? endpointRefusal(endpoint, key, call) : undefined;
  const refused = endpoint && (recommended || grant) ? found : unknownCall(call);
  if (!refused || grant !== undefined || !added.some((matches) => matches(call))) return refused;
  // Who adds a call to the list gives more indexes and parameters, but no other bodies.
  if (found && !GIVEN_BY_LIST.has(found.rule)) return found;
  return contentRefusal(call, null, rightsOf(key)) ?? addedRefusal(call);
}

/** Rules about what a call may reach and how. {@link addedRefusal} still refuses indexes with a dot. */
const GIVEN_BY_LIST: ReadonlySet<Rule> = new Set([
  "endpoint",
  "every-index",
  "dot-index",
  "wildcard",
  "name",
  "hidden",
  "parameter",
]);

const unknownCall = ({ method, segments }: NativeRequest) =>
  refusal("endpoint", `${method} ${shown(`/${segments.join("/")}`)} is not among the calls that are let through`);

function endpointRefusal(endpoint: NativeEndpoint, key: KeyRules, call: NativeRequest): Refusal | undefined {
  const { segments, parameters, body } = call;
  const grant = key.indexes;
  const rights = rightsOf(key);
  if (grant !== undefined && endpoint.unbounded !== undefined) {
    return refusal(endpoint.unbounded, `a key with indexes (${describeKey(key)}) cannot be limited there`);
  }
  const index = endpoint.segments.indexOf("{index}");
  const named = index === -1 ? undefined : namesRefusal(segments[index] ?? "", grant, endpoint);
  if (named) return named;
  const alias = endpoint.segments.indexOf("{alias}");
  const wrongAlias = alias === -1 ? undefined : aliasRefusal(segments[alias] ?? "");
  const wrong =
    wrongAlias ??
    firstOf(
      parameters,
      ([name, value]) => parameterRefusal(name, value, grant !== undefined) ?? parameterLimit(name, value, rights),
    );
  if (wrong) return wrong;
  const untyped = typeRefusal(call);
  if (untyped) return untyped;
  const text = body.toString("utf8");
  return endpoint.body?.({ text, grant, rights, hasIndex: index !== -1 }) ?? pageRefusal(call, text, rights);
}

/** Returns why the page of a search is refused whose query string replaces a part of it. */
function pageRefusal({ segments, parameters }: NativeRequest, text: string, rights: Rights): Refusal | undefined {
  if (segments.at(-1) !== "_search" || !parameters.some(([name]) => name === "from" || name === "size"))
    return undefined;
  return pageLimit(parameters, parseJson(text), rights);
}

/** The content types of bodies that the gateway reads. */
const JSON_TYPE = /^\s*application\/(vnd\.opensearch\+)?(x-ndjson|json)\s*(;|$)/i;

/** Returns why a body is refused that the gateway cannot read as JSON. */
export const typeRefusal = ({ contentType, body }: NativeRequest): Refusal | undefined =>
  body.length > 0 && !JSON_TYPE.test(contentType ?? "")
    ? refusal("content-type", "the body is not declared to be JSON")
    : undefined;

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
  ignore_unmapped bytes h health help level pri s time v wait_for_status wait_for_no_initializing_shards
  wait_for_no_relocating_shards wait_for_events wait_for_nodes`.split(/\s+/),
);

/** Parameters for keys without patterns: what they name can change or hide the indexes. */
const UNBOUNDED_PARAMETERS = new Set(["pipeline", "search_pipeline", "scroll"]);

function parameterRefusal(name: string, value: string, bounded: boolean): Refusal | undefined {
  if (name === "expand_wildcards") return hiddenRefusal(value);
  if (PARAMETERS.has(name) || (UNBOUNDED_PARAMETERS.has(name) && !bounded)) return undefined;
  return refusal("parameter", `the parameter ${shown(name)} is not among those that are let through`);
}

/** Returns why a call that a project added to the list is refused: it may reach an index with a dot. */
function addedRefusal(call: NativeRequest): Refusal | undefined {
  const named = firstOf(call.segments, (value) => {
    const found = namesRefusal(value, undefined, { wildcards: true });
    return found?.rule === "dot-index" || found?.rule === "date-math" ? found : undefined;
  });
  return named ?? systemRefusal(call, false);
}

/** Paths of calls whose bodies hold a query as a text. */
const TEMPLATE_PATH = /(^|\/)(_search|_msearch|_render)\/template(\/|$)/;

/**
 * Returns why a call is refused for what it holds, wherever it goes: scripts, numbers over a limit and, unless `grant` is
 * null, names with a dot. For calls that the list of recommended ones does not decide on.
 */
export function contentRefusal(call: NativeRequest, grant: Grant | null, rights: Rights): Refusal | undefined {
  const { method, segments, parameters, body } = call;
  const known = recommendedEndpoint(method, segments);
  const wrong = firstOf(parameters, ([name, value]) => parameterLimit(name, value, rights));
  // Documents may hold anything.
  if (wrong || (known && !known.body)) return wrong;
  const text = body.toString("utf8");
  const documents = known?.body === read.bulk ? read.anyBulk : known?.body === read.update ? read.update : undefined;
  if (documents) return documents({ text, grant: undefined, rights, hasIndex: true });
  if (!rights.scripts && TEMPLATE_PATH.test(segments.join("/"))) {
    return refusal("script", "a template hides a query, which may hold scripts");
  }
  const texts = [text, ...parameters.filter(([name]) => name === "source").map(([, value]) => value)];
  return firstOf(texts, (one) => read.anyJson(one, grant, rights)) ?? pageRefusal(call, text, rights);
}

/** A call of the cluster's own API that `recommended` lets through. */
interface NativeEndpoint {
  methods: ReadonlySet<string>;
  /** Segments; `{index}` is an index expression and any other `{…}` one segment of free text. */
  segments: readonly string[];
  /** Whether the index expression may hold wildcards. */
  wildcards: boolean;
  /** Returns why the body is refused. Undefined if no body can name an index or hold a script, as with a document. */
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
  endpoint("POST", "/{index}/_update/{id}", { body: read.update }),
  endpoint("GET HEAD", "/{index}/_source/{id}"),
  endpoint("PUT POST", "/_bulk", { body: read.bulk }),
  endpoint("PUT POST", "/{index}/_bulk", { body: read.bulk }),
  endpoint("GET POST", "/_mget", { body: read.query }),
  endpoint("GET POST", "/{index}/_mget", { body: read.query }),
  endpoint("POST", "/{index}/_delete_by_query", { body: read.byQuery }),
  endpoint("POST", "/{index}/_update_by_query", { body: read.byQuery }),
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
  endpoint("DELETE", "/_search/point_in_time", { body: read.openIds, unbounded: "open-search" }),
  endpoint("GET POST", "/_search/scroll", { unbounded: "open-search" }),
  endpoint("DELETE", "/_search/scroll", { body: read.openIds, unbounded: "open-search" }),

  endpoint("GET", "/{index}/_mapping", describing),
  endpoint("GET", "/{index}/_mapping/field/{fields}", describing),
  endpoint("PUT POST", "/{index}/_mapping", { body: read.mapping }),
  endpoint("GET", "/{index}/_settings", describing),
  endpoint("GET", "/{index}/_settings/{name}", describing),
  endpoint("PUT", "/{index}/_settings", { body: read.settings }),
  endpoint("GET HEAD", "/{index}/_alias", describing),
  endpoint("GET HEAD", "/{index}/_alias/{name}", describing),
  endpoint("PUT POST", "/{index}/_alias/{alias}", { body: read.query, unbounded: "alias" }),
  endpoint("DELETE", "/{index}/_alias/{name}", { unbounded: "alias" }),
  endpoint("POST", "/_aliases", { body: read.aliasActions, unbounded: "alias" }),

  endpoint("GET POST", "/{index}/_refresh", describing),
  endpoint("GET POST", "/_analyze", { body: read.analyze }),
  endpoint("GET POST", "/{index}/_analyze", { body: read.analyze }),

  endpoint("GET HEAD", "/_alias/{index}"),
  endpoint("GET", "/_cat/count/{index}", describing),
  endpoint("GET", "/_cat/indices/{index}", describing),
  endpoint("GET", "/_cluster/health/{index}", describing),
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
