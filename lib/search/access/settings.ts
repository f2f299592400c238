import { isObject } from "../../platform/json/values.ts";
import { componentsRefusal } from "./analysis.ts";
import type { Components } from "./analysis-growth.ts";
import { settingLimit } from "./limits.ts";
import { firstOf, type Refusal, refusal, shown } from "./names.ts";
import type { Rights } from "./rights.ts";
import { isScriptSetting } from "./scripts.ts";

type Setting = readonly [name: string, value: unknown];

/** Index settings that are allowed with any value: they affect neither nodes nor other indexes. */
const SETTING =
  /^(number_of_(shards|replicas|routing_shards)|auto_expand_replicas|codec|priority|creation_date|gc_deletes|blocks\.\w+|requests\.cache\.enable|replication\.type|soft_deletes\.enabled|write\.wait_for_active_shards|translog\.(durability|sync_interval|retention\.\w+)|knn|sparse|(analysis|similarity|mapper|query|queries|sort|knn|merge\.(policy|log_byte_size_policy)|search\.(idle|slowlog|concurrent_segment_search|concurrent)|indexing\.slowlog)\..+|mapping\.(ignore_malformed|coerce))$/;

/** Settings by which an index uses more of its nodes, with their maximum: the cluster's default, or somewhat more. */
const NUMBERS = new Map(
  Object.entries({
    max_result_window: 1_000_000,
    max_inner_result_window: 10_000,
    max_rescore_window: 100_000,
    max_docvalue_fields_search: 1_000,
    max_script_fields: 100,
    max_ngram_diff: 64,
    max_shingle_diff: 16,
    max_refresh_listeners: 1_000,
    max_slices_per_scroll: 1_024,
    max_slices_per_pit: 1_024,
    max_terms_count: 65_536,
    max_regex_length: 1_000,
    max_adjacency_matrix_filters: 100,
    "allocation.max_retries": 20,
    "analyze.max_token_count": 10_000,
    "highlight.max_analyzed_offset": 1_000_000,
    "query.max_nested_depth": 20,
    "mapping.total_fields.limit": 2_000,
    "mapping.depth.limit": 30,
    "mapping.nested_fields.limit": 100,
    "mapping.nested_objects.limit": 10_000,
    "mapping.field_name_length.limit": 50_000,
    "merge.policy.segments_per_tier": 100,
    "merge.policy.max_merge_at_once": 100,
    "merge.log_byte_size_policy.merge_factor": 100,
    "merge.scheduler.max_thread_count": 4,
    "merge.scheduler.max_merge_count": 16,
    "search.concurrent.max_slice_count": 16,
    "knn.algo_param.m": 512,
    "knn.algo_param.ef_construction": 4_096,
    "knn.algo_param.ef_search": 10_000,
  }),
);

const UP_TO_9_GB = /^(\d{1,9}b?|\d{1,6}kb|\d{1,4}mb|\dgb)$/i;

/** Settings that are allowed only with these values. */
const VALUES = new Map<string, RegExp>([
  // A shorter interval refreshes without a pause.
  ["refresh_interval", /^(-1|\d+[smhd]|[1-9]\d{2,}ms)$/],
  // Other values store files elsewhere.
  ["store.type", /^(|fs|niofs|mmapfs|hybridfs)$/],
  // The defaults, which clients send back.
  ["hidden", /^false$/],
  ["routing_partition_size", /^1$/],
  ["routing.allocation.enable", /^all$/],
  ["routing.allocation.total_shards_per_node", /^-1$/],
  ["routing.rebalance.enable", /^all$/],
  ["warmer.enabled", /^true$/],
  ["unassigned.node_left.delayed_timeout", /^\d{1,9}(ms|[smhd])$/],
  ["soft_deletes.retention_lease.period", /^(\d{1,9}(ms|s|m)|\d{1,2}h)$/],
  ["translog.flush_threshold_size", UP_TO_9_GB],
  ["translog.generation_threshold_size", UP_TO_9_GB],
  ["merge.scheduler.auto_throttle", /^(true|false)$/],
]);

/** Settings that match the expression above but make an index run a pipeline. */
const PIPELINES = /(^|\.)(default|final)_pipeline$|^search\.default_pipeline$/;

/** Returns why settings of an index are refused. */
export function settingsRefusal(given: unknown, rights: Rights): Refusal | undefined {
  const settings = isObject(given) ? dotted(given) : [];
  return (
    firstOf(settings, (setting) => settingRefusal(setting, rights)) ??
    componentsRefusal(componentsOf(settings), rights.scripts)
  );
}

/** Returns the analyzer components in settings: `analysis.<kind>.<name>.<parameter>`. */
function componentsOf(settings: readonly Setting[]): Components {
  const parameters = settings.flatMap(([path, value]) => {
    const [first, kind = "", name = "", ...parameter] = path.split(".");
    return first === "analysis" ? [{ kind, name, parameter: parameter.join("."), value }] : [];
  });
  return new Map(
    [...Map.groupBy(parameters, ({ kind }) => kind)].map(([kind, ofKind]) => [
      kind,
      new Map(
        [...Map.groupBy(ofKind, ({ name }) => name)].map(([name, own]) => [
          name,
          Object.fromEntries(own.map(({ parameter, value }) => [parameter, value])),
        ]),
      ),
    ]),
  );
}

function settingRefusal([name, value]: Setting, rights: Rights): Refusal | undefined {
  if (PIPELINES.test(name)) return refusal("setting", `${shown(name)} makes the index run a pipeline`);
  if (!rights.scripts && isScriptSetting(name)) return refusal("script", `${shown(name)} is a script`);
  const over = settingLimit(name, value, rights);
  if (over) return over;
  // Null resets a setting to its default.
  const [most, values] = [NUMBERS.get(name), VALUES.get(name)];
  if (most !== undefined) {
    return Number(value) <= most ? undefined : refusal("setting", `${shown(name)} may be at most ${most}`);
  }
  if (values) {
    if (value === null || values.test(String(value))) return undefined;
    return refusal("setting", `${shown(name)} may not have this value`);
  }
  return SETTING.test(name) ? undefined : refusal("setting", `${shown(name)} is not a setting that it may change`);
}

/** Returns the values of nested objects by dotted path, without the optional prefixes. */
export function dotted(value: Readonly<Record<string, unknown>>, prefix = ""): Setting[] {
  return Object.entries(value).flatMap(([key, member]): Setting[] =>
    isObject(member)
      ? dotted(member, `${prefix}${key}.`)
      : [[`${prefix}${key}`.replace(/^settings\./, "").replace(/^index\./, ""), member]],
  );
}

/** Maximum of a parameter of a vector field's method: the library allocates memory for some of them. */
const MAX_METHOD = 20_000;

/** Returns why mappings are refused: a vector index would take too much memory. */
export function mappingsRefusal(value: unknown, inMethod = false): Refusal | undefined {
  if (inMethod && Number(value) > MAX_METHOD) {
    return refusal("setting", `parameters of a vector field's method may be at most ${MAX_METHOD}`);
  }
  if (!isObject(value)) return undefined;
  return firstOf(Object.entries(value), ([key, member]) =>
    mappingsRefusal(member, inMethod || (key === "method" && "type" in value && value.type === "knn_vector")),
  );
}
