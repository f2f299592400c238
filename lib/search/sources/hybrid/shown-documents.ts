import { isObject, isRawNumber } from "../../../platform/json/values.ts";

type Members = Readonly<Record<string, unknown>>;

/** Returns whether hits have the default source: `stored_fields: "_none_"` excludes it. */
export const hasSource = ({ _source, stored_fields }: Members): boolean =>
  _source === undefined && [stored_fields].flat()[0] !== "_none_";

/** Queries that can return matching documents as inner hits. */
const JOINS = new Set(["nested", "has_child", "has_parent"]);

/** Members of a search, besides its query, that return documents. */
const SHOWING = ["collapse", "aggs", "aggregations", "post_filter"];

/**
 * Returns the members of a search that return documents besides the hits, with `source` wherever the search has no
 * `_source` of its own.
 */
export function shownWith(native: Members, source: object): Record<string, string> {
  const changed = SHOWING.flatMap((key): Array<[string, string]> => {
    const member = native[key];
    const shown = key.startsWith("agg") ? aggregationsWith(member, source) : queryWith({ [key]: member }, source)[key];
    return shown === member ? [] : [[key, JSON.stringify(shown)]];
  });
  return Object.fromEntries(changed);
}

/**
 * Returns a query, or a value that contains queries, with `source` in its inner hits. Returns the same value if there
 * are none.
 */
export function queryWith<Value>(value: Value, source: object): Value {
  if (Array.isArray(value)) {
    // Skips vectors, which have a thousand numbers.
    if (typeof value[0] === "number") return value;
    const shown = value.map((one) => queryWith(one, source));
    return shown.every((one, at) => one === value[at]) ? value : (shown as Value);
  }
  if (!isObject(value) || isRawNumber(value)) return value;
  return changedMembers(value, (key, member) => {
    const inner = queryWith(member, source);
    const shows = (key === "collapse" && isObject(inner) && "field" in inner) || JOINS.has(key);
    return shows && isObject(inner)
      ? changedMembers(inner, (name, one) => (name === "inner_hits" ? documentsWith(one, source) : one))
      : inner;
  }) as Value;
}

/** Returns aggregations with `source` in each `top_hits`, at any depth. */
function aggregationsWith(aggregations: unknown, source: object): unknown {
  if (!isObject(aggregations)) return aggregations;
  return changedMembers(aggregations, (_name, aggregation) => {
    if (!isObject(aggregation)) return aggregation;
    return changedMembers(aggregation, (key, member) => {
      if (key === "top_hits") return documentsWith(member, source);
      return key === "aggs" || key === "aggregations" ? aggregationsWith(member, source) : member;
    });
  });
}

function documentsWith(shown: unknown, source: object): unknown {
  if (Array.isArray(shown)) {
    const all = shown.map((one) => documentsWith(one, source));
    return all.every((one, at) => one === shown[at]) ? shown : all;
  }
  return isObject(shown) && hasSource(shown) ? { ...shown, _source: source } : shown;
}

function changedMembers(object: Members, change: (key: string, member: unknown) => unknown): Members {
  const entries = Object.entries(object).map(([key, member]) => [key, change(key, member)] as const);
  return entries.every(([key, member]) => member === object[key]) ? object : Object.fromEntries(entries);
}
