import type { Limits } from "../../platform/http/access.ts";
import { isObject } from "../../platform/json/values.ts";
import { type Refusal, refusal, shown } from "./names.ts";
import type { KeyLimits, Rights } from "./rights.ts";
import { DOCUMENTS, FIELD_QUERIES } from "./scripts.ts";

type Limit = keyof Limits;

/** Members whose number costs memory or time in the cluster, with the key's limit for each. */
const MEMBERS: ReadonlyMap<string, Limit> = new Map([
  ["size", "aggregation_size"],
  ["shard_size", "aggregation_size"],
  ["buckets", "aggregation_size"],
  ["initial_buffer", "aggregation_size"],
  ["k", "window"],
  ["ef_search", "window"],
  ["nprobes", "window"],
  ["window_size", "rescore_window"],
  ["max_expansions", "clauses"],
  ["max_query_terms", "clauses"],
  ["max_concurrent_group_searches", "searches"],
  ["number_of_shards", "shards"],
  ["index.number_of_shards", "shards"],
  ["number_of_replicas", "shards"],
  ["index.number_of_replicas", "shards"],
]);

/**
 * Members with a fixed limit: the cluster's default, or up to ten times that. A regular expression of 18 characters
 * took 26 s for 2^18 states, and a compression of 10^8 crashed a node of OpenSearch 3.6.
 */
const FIXED: ReadonlyMap<string, number> = new Map([
  // Queues that the cluster allocates at once: of serial_diff, moving_avg and the plain highlighter.
  ["lag", 10_000],
  ["window", 10_000],
  ["predict", 10_000],
  ["number_of_fragments", 10_000],
  // The phrase suggester tries about (candidates + 1) ^ errors phrases.
  ["max_errors", 2],
  ["max_determinized_states", 10_000],
  ["compression", 1_000],
]);

/** Returns whether a member with this name may exceed a limit. */
export const isLimited = (key: string): boolean => key === "from" || MEMBERS.has(key) || FIXED.has(key);

/**
 * Names of objects whose `from` and `size` count hits: a search, the hits of an aggregation and of a hit, a rated
 * search.
 */
const HITS: ReadonlySet<string> = new Set(["", "top_hits", "inner_hits", "request"]);

/**
 * Returns why a number in a search is refused. `parent` is the name of the object around it, empty for the whole
 * search. Fields with these names in queries and documents are exempt: a query object has exactly one field, other
 * objects with its name have more.
 */
export function numberRefusal(
  key: string,
  parent: string,
  object: Readonly<Record<string, unknown>>,
  { limits, limited }: Rights,
): Refusal | undefined {
  if (parent === "direct_generator" && key === "size") return fixedSize(object.size, limited);
  const isHits = HITS.has(parent) && (key === "size" || key === "from");
  const limit = isHits ? "window" : MEMBERS.get(key);
  const count = isHits ? (countOf(object.from) ?? 0) + (countOf(object.size) ?? 0) : countOf(object[key]);
  if (count === undefined) return undefined;
  const found =
    limit === undefined
      ? fixedRefusal(key, count, limited)
      : limitRefusal(limit, isHits ? "from + size" : key, count, limits);
  return found && isField(key, parent, object) ? undefined : found;
}

/** The most candidates per term that a phrase suggester combines with those of other terms. */
const MAX_CANDIDATES = 20;

function fixedSize(size: unknown, limited: boolean): Refusal | undefined {
  if (!limited || (countOf(size) ?? 0) <= MAX_CANDIDATES) return undefined;
  return refusal(
    "limit",
    `size of a direct_generator is over ${MAX_CANDIDATES}, which only a key with raw_backend: all may send`,
  );
}

function fixedRefusal(key: string, count: number, limited: boolean): Refusal | undefined {
  const max = FIXED.get(key);
  if (max === undefined || count <= max || !limited) return undefined;
  return refusal(
    "limit",
    `${key} is over ${max.toLocaleString("en")}, which only a key with raw_backend: all may send`,
  );
}

function isField(key: string, parent: string, object: Readonly<Record<string, unknown>>): boolean {
  if (FIELD_QUERIES.has(parent)) return Object.keys(object).length === 1;
  // A vector field may have any name, so k in an object of that name counts.
  return DOCUMENTS.has(parent) && !(key === "k" || key === "ef_search");
}

/** Returns the refusal of a number over a limit. */
export function limitRefusal(limit: Limit, what: string, count: number, limits: KeyLimits): Refusal | undefined {
  const max = limits[limit];
  if (max === undefined || count <= max) return undefined;
  const many = Number.isFinite(count) ? count.toLocaleString("en") : "not a plain number";
  return refusal(
    "limit",
    `${what} is ${many}; the limit of this key is ${max.toLocaleString("en")} (limits.${limit} in api.yaml)`,
  );
}

/**
 * Returns the number that the cluster reads from a JSON value; undefined if it cannot be a number. Infinity for text
 * that starts like a number and that JavaScript reads differently.
 */
function countOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  return /^\s*[-+]?(\.?\p{Nd}|Inf|NaN)/u.test(value) ? parameterCount(value) : undefined;
}

/**
 * Returns the number in a text; infinity unless it is written in plain digits. The cluster reads digits of any script.
 */
function parameterCount(text: string): number {
  return /^\s*[-+]?\d+(\.\d+)?(e\d+)?\s*$/i.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}

/** Query string parameters with limits. */
const PARAMETERS: ReadonlyMap<string, Limit> = new Map([
  ["scroll_size", "window"],
  ["suggest_size", "aggregation_size"],
  ["max_concurrent_searches", "searches"],
  ["max_concurrent_shard_requests", "searches"],
  ["slices", "searches"],
]);

/** Returns why a query string parameter is refused. */
export function parameterLimit(name: string, value: string, { limits }: Rights): Refusal | undefined {
  const limit = PARAMETERS.get(name);
  if (limit === undefined || value === "auto" || value === "") return undefined;
  return limitRefusal(limit, name, parameterCount(value), limits);
}

/** Returns why `from` and `size` of a query string, which replace those of a body, are refused. */
export function pageLimit(
  parameters: ReadonlyArray<readonly [name: string, value: string]>,
  body: unknown,
  { limits }: Rights,
): Refusal | undefined {
  const given = new Map(parameters.filter(([name]) => name === "from" || name === "size"));
  if (given.size === 0) return undefined;
  const search = isObject(body) ? body : {};
  const part = (name: "from" | "size") => {
    const text = given.get(name);
    return (text === undefined ? countOf(search[name]) : parameterCount(text)) ?? 0;
  };
  return limitRefusal("window", "from + size", part("from") + part("size"), limits);
}

/** Returns why a setting of an index is refused. */
export function settingLimit(name: string, value: unknown, { limits }: Rights): Refusal | undefined {
  // Null resets a setting to its default.
  if (value === null || (name !== "number_of_shards" && name !== "number_of_replicas")) return undefined;
  return limitRefusal("shards", shown(name), parameterCount(String(value)), limits);
}
