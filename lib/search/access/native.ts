import { describeKey, type KeyRules } from "../../core/http/access.ts";
import { hiddenRefusal } from "./bodies.ts";
import { type NativeEndpoint, recommendedEndpoint } from "./endpoints.ts";
import { aliasRefusal, firstOf, namesRefusal, type Refusal, refusal, shown } from "./names.ts";
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

const JSON_TYPE = /^\s*application\/(vnd\.opensearch\+)?(x-ndjson|json)\s*(;|$)/i;

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
