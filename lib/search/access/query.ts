import type { KeyRules } from "../../platform/http/access.ts";
import { closingQuote } from "../../platform/json/slices.ts";
import { isObject } from "../../platform/json/values.ts";
import { histogramRefusal } from "./histograms.ts";
import { isLimited, limitRefusal, numberRefusal } from "./limits.ts";
import {
  firstOf,
  type Grant,
  namesRefusal,
  ownOptions,
  type Refusal,
  refusal,
  requireAllowed,
  valueRefusal,
} from "./names.ts";
import { type Rights, rightsOf } from "./rights.ts";
import { FIELD_QUERIES, memberScript, scriptRefusal } from "./scripts.ts";

/**
 * Returns the index expression to send for a search. Throws `forbidden` for indexes that the key may not use, in the
 * expression or in the body, and for a body that contains scripts or exceeds limits. For a key without index patterns,
 * excludes dot names from wildcards. If the body is the operator's template with a caller's `values`, only the values
 * must be free of scripts.
 */
export function searchedIndexes(key: KeyRules, index: string, body: unknown, values?: unknown): string {
  // Without a wildcard of this cluster, the cluster would read an exclusion as a name.
  const wide = key.indexes === undefined && index.split(",").some((part) => /^<?\*[^:]*$/.test(part));
  const sent = wide ? `${index},-.*` : index;
  const rights = rightsOf(key);
  requireAllowed(
    key,
    namesRefusal(sent, key.indexes, { ...ownOptions(key), wildcards: true }) ??
      scriptRefusal(values, rights) ??
      queryRefusal(body, values === undefined ? rights : { ...rights, scripts: true }),
  );
  return sent;
}

/** Members that name indexes: terms lookup, more_like_this, percolate, multi-get, term vectors. */
const NAMES_INDEX = new Set(["index", "_index", "indices", "indexes"]);

/**
 * Members that are refused to keys with index patterns, because the gateway cannot check their indexes. A field of that
 * name is not an object.
 */
const UNBOUNDED = new Map<string, Refusal>([
  ["wrapper", refusal("body", "wrapper hides a query")],
  ["indexed_shape", refusal("body", "indexed_shape reads another index")],
  ["pit", refusal("open-search", "the id of a point in time does not show its indexes")],
  ["template", refusal("template", "a template hides a query")],
  ["collate", refusal("template", "collate holds a template")],
  ["agentic", refusal("template", "an agent writes the query")],
  ["ext", refusal("body", "ext is read by plugins")],
]);

/** Queries that compare with documents which a token's filter does not reach. */
const OTHER_DOCUMENTS = new Map<string, string>([
  ["has_child", "has_child reads other documents"],
  ["has_parent", "has_parent reads other documents"],
  ["percolate", "percolate runs stored queries, or reads another document"],
]);

/** Returns why a token's filter does not reach a part of a search: it reads another document than the hits. */
function outsideRefusal(key: string, member: unknown, parent: string): Refusal | undefined {
  if (FIELD_QUERIES.has(parent)) return undefined;
  if (NAMES_INDEX.has(key) && !isObject(member)) return refusal("token", `${key} names a document of an index`);
  const isLike = parent === "more_like_this" && (key === "like" || key === "unlike");
  if (isLike && [member].flat().some(isObject)) return refusal("token", `${key} reads another document`);
  const reason = isObject(member) ? OTHER_DOCUMENTS.get(key) : undefined;
  return reason === undefined ? undefined : refusal("token", reason);
}

/** State of checking one search. */
interface Walk {
  rights: Rights;
  /** Clauses counted so far. */
  clauses: number;
  /** Whether the value is among the sources of a composite aggregation. */
  isSource: boolean;
}

/**
 * Returns why the body of a search is refused: an index name that the key may not use, an unreadable part that may name
 * indexes, a script, or a number over a limit. Walks the whole body once, because queries can be almost anywhere.
 */
export function queryRefusal(value: unknown, rights: Rights): Refusal | undefined {
  return valueIssue(value, "", 0, { rights, clauses: 0, isSource: false });
}

/**
 * Checks one value. `parent` is the name of the object or array around it, `depth` the number of aggregations around
 * it.
 */
function valueIssue(value: unknown, parent: string, depth: number, walk: Walk): Refusal | undefined {
  if (Array.isArray(value)) return firstOf(value, (one) => valueIssue(one, parent, depth, walk));
  if (!isObject(value)) return undefined;
  let members = 0;
  let last: unknown;
  for (const key in value) {
    members += 1;
    last = value[key];
    const found = memberRefusal(key, value, parent, depth, walk);
    if (found) return found;
  }
  // A query is an object with one member, its type. Some types contain an object with one member, the field.
  if (members !== 1 || !isObject(last) || parent === "" || FIELD_QUERIES.has(parent)) return undefined;
  walk.clauses += 1;
  return limitRefusal("clauses", "the number of clauses", walk.clauses, walk.rights.limits);
}

function memberRefusal(
  key: string,
  object: Readonly<Record<string, unknown>>,
  parent: string,
  depth: number,
  walk: Walk,
): Refusal | undefined {
  const { rights } = walk;
  const member = object[key];
  const found =
    (rights.isFiltered ? outsideRefusal(key, member, parent) : undefined) ??
    (rights.grant === null ? undefined : nameRefusal(key, member, rights)) ??
    (rights.scripts ? undefined : memberScript(key, member, parent)) ??
    (isLimited(key) ? numberRefusal(key, parent, object, rights) : undefined) ??
    ((key === "histogram" || key === "date_histogram") && !walk.isSource
      ? histogramRefusal(key, member, rights)
      : undefined);
  if (found) return found;
  if (typeof member !== "object" || member === null) return undefined;
  if (key === "wrapper") return wrapperRefusal(member, depth, walk);
  const below = key === "aggs" || key === "aggregations" ? depth + 1 : depth;
  const deep = limitRefusal("aggregation_depth", "the depth of aggregations", below, rights.limits);
  if (deep) return deep;
  // Sources of a composite aggregation create no empty buckets. Only `composite` has a list named `sources`.
  const isSource = parent === "composite" && key === "sources" && Array.isArray(member);
  // Each search of _rank_eval has its own limits.
  if (parent === "requests" && key === "request") return valueIssue(member, key, below, { ...walk, clauses: 0 });
  return valueIssue(member, key, below, isSource ? { ...walk, isSource } : walk);
}

function nameRefusal(key: string, member: unknown, { grant, isFiltered }: Rights): Refusal | undefined {
  if (NAMES_INDEX.has(key) && !isObject(member)) return namedRefusal(member, grant);
  if (key === "indices_boost") return boostRefusal(member, grant);
  if (grant === undefined && !isFiltered) {
    const isTemplate = key === "collate" && isObject(member) && /index|\\u/i.test(JSON.stringify(member));
    return isTemplate ? UNBOUNDED.get(key) : undefined;
  }
  if (key === "search_pipeline") return PIPELINE;
  return typeof member === "object" && member !== null ? UNBOUNDED.get(key) : undefined;
}

const PIPELINE = refusal("pipeline", "a search pipeline can change the search");

/**
 * Returns why an index name in a body is refused. A key without index patterns may have a field named `index`, so only
 * dot names are refused. The cluster reads single names here, without wildcards.
 */
function namedRefusal(value: unknown, grant: Grant): Refusal | undefined {
  if (grant !== undefined) return valueRefusal(value, grant, { wildcards: true });
  const values = Array.isArray(value) ? value : [value];
  return firstOf(values, (one) =>
    typeof one === "string" && /(^|,)-?[.<]/.test(one) ? namesRefusal(one, grant, { wildcards: true }) : undefined,
  );
}

/**
 * Returns why `indices_boost` is refused, whose keys are index names. An unknown index fails the search, so the call
 * reveals which names exist.
 */
function boostRefusal(boosts: unknown, grant: Grant): Refusal | undefined {
  const names = [boosts].flat().flatMap((one) => (isObject(one) ? Object.keys(one) : []));
  return firstOf(names, (name) => namesRefusal(name, grant, { wildcards: true }));
}

function wrapperRefusal(member: unknown, depth: number, walk: Walk): Refusal | undefined {
  const query = isObject(member) ? member.query : undefined;
  const inner = typeof query === "string" ? strictJson(Buffer.from(query, "base64").toString("utf8")) : undefined;
  return inner ? valueIssue(inner.value, "wrapper", depth, walk) : refusal("body", "wrapper does not contain JSON");
}

/** A longer run of characters between strings can only be an array of numbers, or white space. */
const LONG = 256;

const NUMBERS = /\[[-+.\deE, \t\r\n]+\]/g;

/**
 * Returns the value of a JSON text. Undefined for text that another parser might read differently: duplicate keys,
 * comments, or anything that JSON.parse rejects. Long arrays of numbers are shortened to one element: vectors name
 * nothing, and parsing them takes longer than all the rest.
 */
export function strictJson(text: string): { value: unknown } | undefined {
  const { short, colons } = outline(text);
  let value: unknown;
  try {
    value = JSON.parse(short);
  } catch {
    return undefined;
  }
  return colons === countKeys(value) ? { value } : undefined;
}

/** Shortens the arrays of numbers in a JSON text. Also counts the colons outside of strings, one for each key. */
function outline(text: string): { short: string; colons: number } {
  let short = "";
  let copied = 0;
  let colons = 0;
  let colon = text.indexOf(":");
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    if (end - at > LONG) {
      short += text.slice(copied, at) + text.slice(at, end).replace(NUMBERS, "[0]");
      copied = end;
    }
    if (colon !== -1 && colon < at) colon = text.indexOf(":", at);
    for (; colon !== -1 && colon < end; colon = text.indexOf(":", colon + 1)) colons += 1;
    const close = quote === -1 ? -1 : closingQuote(text, quote);
    at = close === -1 ? text.length : close + 1;
  }
  return { short: short + text.slice(copied), colons };
}

function countKeys(value: unknown): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const member of value) if (typeof member === "object") count += countKeys(member);
  } else if (isObject(value)) {
    for (const key in value) {
      count += 1;
      if (typeof value[key] === "object") count += countKeys(value[key]);
    }
  }
  return count;
}

/**
 * Returns the filters of a caller's token, which every document that it sees matches. Throws `forbidden` if they have
 * what the caller may not send.
 */
export function tokenFilters(caller: KeyRules): readonly unknown[] {
  const { filters = [] } = caller.token ?? {};
  requireAllowed(caller, queryRefusal(filters, rightsOf(caller)));
  return filters;
}
