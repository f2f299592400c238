import { describeKey, type KeyRules } from "../../platform/http/access.ts";
import { parseJson } from "../../platform/json/values.ts";
import { heldIndex } from "../index-meta/index-meta.ts";
import { runOfIndex, runOfTarget } from "../index-meta/run-names.ts";
import { runRefusal } from "./administration-bodies.ts";
import * as read from "./bodies.ts";
import { type NativeCall, type NativeRequest, nativeCall, TEMPLATE_PATH } from "./calls.ts";
import { pageLimit, parameterLimit } from "./limits.ts";
import {
  aliasRefusal,
  firstOf,
  type Grant,
  type NameOptions,
  namesRefusal,
  type Refusal,
  type Rule,
  refusal,
  shown,
} from "./names.ts";
import { type Rights, rightsOf } from "./rights.ts";
import { systemRefusal } from "./system.ts";

/** Returns whether a call matches a rule `METHOD pattern`. */
export type CallPattern = (call: Pick<NativeRequest, "method" | "segments">) => boolean;

export interface AllowOptions {
  /** Whether the recommended calls are allowed. */
  recommended: boolean;
  /** Further calls that are allowed for keys without index patterns. */
  added: readonly CallPattern[];
}

/**
 * Decides on a call of a limited key without calling the cluster. Returns undefined if it is allowed, else the refusal
 * with its rule. Index names are decoded like the cluster does, and must be within the key's index patterns. Names that
 * start with a dot are always refused.
 */
export function nativeRefusal(key: KeyRules, call: NativeRequest, allowed: AllowOptions): Refusal | undefined {
  if (!key.endpoints.includes("administration")) return applicationRefusal(key, call, allowed);
  const refused = rowRefusal("administration", key, call);
  return refused && key.endpoints.includes("raw-backend") ? applicationRefusal(key, call, allowed) : refused;
}

function applicationRefusal(key: KeyRules, call: NativeRequest, { recommended, added }: AllowOptions) {
  const grant = key.indexes;
  const isListed = recommended || grant !== undefined;
  const found = rowRefusal("application", key, call);
  const refused = isListed ? found : unlisted("application", call);
  if (!refused || grant !== undefined || !added.some((matches) => matches(call))) return refused;
  // Adding a call to the list allows other indexes and parameters, but no other bodies.
  if (found && !GIVEN_BY_LIST.has(found.rule)) return found;
  return contentRefusal(call, { ...rightsOf(key), grant: null }) ?? addedRefusal(call);
}

/**
 * Rules that a call added to the list is exempt from: which indexes and parameters it may use. {@link addedRefusal}
 * still refuses indexes with a dot.
 */
const GIVEN_BY_LIST: ReadonlySet<Rule> = new Set([
  "endpoint",
  "every-index",
  "dot-index",
  "wildcard",
  "name",
  "hidden",
  "parameter",
]);

const UNLISTED = { application: "that are let through", administration: "of administration" };

const unlisted = (audience: NativeCall["audience"], { method, segments }: NativeRequest) =>
  refusal("endpoint", `${method} ${shown(`/${segments.join("/")}`)} is not among the calls ${UNLISTED[audience]}`);

/** Returns why no entry of the table allows a call. */
function rowRefusal(audience: NativeCall["audience"], key: KeyRules, call: NativeRequest): Refusal | undefined {
  const row = nativeCall(audience, call);
  if (!row) return unlisted(audience, call);
  const { segments, parameters } = call;
  const rights = rightsOf(key);
  const { grant } = rights;
  if (grant !== undefined && row.unbounded !== undefined) {
    return refusal(row.unbounded, `a key with indexes (${describeKey(key)}) cannot be limited there`);
  }
  const wrong =
    firstOf(row.segments.entries(), ([at, part]) => placeRefusal(part, segments[at] ?? "", grant, row)) ??
    firstOf(parameters, ([name, value]) =>
      row.parameters
        ? commandParameterRefusal(name, value, row.parameters)
        : (parameterRefusal(name, value, grant !== undefined) ?? parameterLimit(name, value, rights)),
    ) ??
    typeRefusal(call);
  if (wrong) return wrong;
  const text = call.body.toString("utf8");
  const hasIndex = row.segments.some((part) => part.startsWith("{index"));
  // The default limits are for searches of applications.
  const limits = audience === "administration" ? (key.limits ?? {}) : rights.limits;
  return row.body?.({ text, rights: { ...rights, limits }, hasIndex }) ?? pageRefusal(call, text, rights);
}

/** Returns why a path segment is refused. */
function placeRefusal(part: string, segment: string, grant: Grant, options: NameOptions): Refusal | undefined {
  if (part === "{alias}") return aliasRefusal(segment);
  if (part === "{runs}") {
    return grant === undefined ? undefined : refusal("index", "it may look at one run at a time, with --run");
  }
  if (part === "{hold}") {
    const held = heldIndex(segment);
    return held === undefined ? refusal("name", `${shown(segment)} is no hold`) : namesRefusal(held, grant, PLAIN);
  }
  const run = part.includes("run") ? runOfIndex(segment) : undefined;
  const target = part.includes("target") ? runOfTarget(segment) : undefined;
  if (run !== undefined || target !== undefined) return runRefusal(run ?? target ?? "", grant);
  if (part === "{run}") return refusal("endpoint", `${shown(segment)} is not the index of a run`);
  return part.startsWith("{index") ? namesRefusal(segment, grant, options) : undefined;
}

const PLAIN = { wildcards: false };

const commandParameterRefusal = (name: string, value: string, listed: readonly string[]) =>
  listed.includes(name) || listed.includes(`${name}=${value}`)
    ? undefined
    : refusal("parameter", `no command of administration sends the parameter ${shown(name)} so`);

/** Returns why a search is refused whose query string changes `from` and `size`. */
function pageRefusal({ segments, parameters }: NativeRequest, text: string, rights: Rights): Refusal | undefined {
  if (segments.at(-1) !== "_search" || !parameters.some(([name]) => name === "from" || name === "size"))
    return undefined;
  return pageLimit(parameters, parseJson(text), rights);
}

/** The content types of bodies that the gateway reads. */
const JSON_TYPE = /^\s*application\/(vnd\.opensearch\+)?(x-ndjson|json)\s*(;|$)/i;

/** Returns why a body is refused that the gateway cannot read as JSON. */
const typeRefusal = ({ contentType, body }: NativeRequest): Refusal | undefined =>
  body.length > 0 && !JSON_TYPE.test(contentType ?? "")
    ? refusal("content-type", "the body is not declared to be JSON")
    : undefined;

/**
 * Parameters that cannot name an index or contain a query. `source` is not among them: it is a body in the query
 * string.
 */
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

/** Parameters only for keys without index patterns: pipelines can change the indexes, and scrolls hide them. */
const UNBOUNDED_PARAMETERS = new Set(["pipeline", "search_pipeline", "scroll"]);

function parameterRefusal(name: string, value: string, bounded: boolean): Refusal | undefined {
  if (name === "expand_wildcards") return read.hiddenRefusal(value);
  if (PARAMETERS.has(name) || (UNBOUNDED_PARAMETERS.has(name) && !bounded)) return undefined;
  return refusal("parameter", `the parameter ${shown(name)} is not among those that are let through`);
}

/** Returns why a call that the project added to the list is refused: it may use an index with a dot. */
function addedRefusal(call: NativeRequest): Refusal | undefined {
  const named = firstOf(call.segments, (value) => {
    const found = namesRefusal(value, undefined, { wildcards: true });
    return found?.rule === "dot-index" || found?.rule === "date-math" ? found : undefined;
  });
  return named ?? systemRefusal(call, false);
}

/**
 * Returns why a call is refused for its content: scripts, numbers over a limit, index names. For calls that are not
 * decided by the list of recommended calls.
 */
export function contentRefusal(call: NativeRequest, rights: Rights): Refusal | undefined {
  const { segments, parameters, body } = call;
  const known = nativeCall("application", call);
  const wrong = firstOf(parameters, ([name, value]) => parameterLimit(name, value, rights));
  // A document, whose content is not restricted.
  if (wrong || (known && !known.body)) return wrong;
  const text = body.toString("utf8");
  const documents = known?.body === read.bulk ? read.anyBulk : known?.body === read.update ? read.update : undefined;
  if (documents) return documents({ text, rights, hasIndex: true });
  if (!rights.scripts && TEMPLATE_PATH.test(segments.join("/"))) {
    return refusal("script", "a template hides a query, which may hold scripts");
  }
  const texts = [text, ...parameters.filter(([name]) => name === "source").map(([, value]) => value)];
  return firstOf(texts, (one) => read.anyJson(one, rights)) ?? pageRefusal(call, text, rights);
}
