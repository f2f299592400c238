import { isObject, isRawNumber } from "../../../platform/json/values.ts";
import { passageVector } from "../../../settings/vectors.ts";
import type { Capabilities } from "../../opensearch/capabilities-of.ts";

type Fields = ReadonlySet<string>;

const isKnn = (value: unknown): value is { knn: Record<string, unknown> } =>
  isObject(value) && isObject(value.knn) && Object.keys(value).length === 1;

/** Settings of knn clauses that search passages. */
interface Searching {
  fields: Fields;
  can: Pick<Capabilities, "nestedKnnFilters">;
}

/**
 * Returns a query whose knn clauses search passages: a document has the score of its best passage and matches the
 * clause's filter. Returns the same value if there are none.
 */
export function ofPassages(query: unknown, { fields, can }: Searching): unknown {
  return fields.size === 0 ? query : nested(query, fields, can);
}

function isPassageKnn(query: unknown, fields: Fields): query is { knn: Record<string, unknown> } {
  if (!isKnn(query)) return false;
  const [field = "", ...others] = Object.keys(query.knn);
  return others.length === 0 && fields.has(field) && isObject(query.knn[field]);
}

function nested(query: unknown, fields: Fields, can: Searching["can"]): unknown {
  if (Array.isArray(query)) return typeof query[0] === "number" ? query : query.map((one) => nested(one, fields, can));
  if (!isObject(query) || isRawNumber(query)) return query;
  if (isPassageKnn(query, fields)) {
    const [[field, clause] = ["", {}]] = Object.entries(query.knn);
    const { filter, ...rest } = clause as { filter?: unknown };
    // Inside a bool, 3.x also applies a filter on nested fields to whole documents.
    const parts = can.nestedKnnFilters ? [filter] : conjuncts(filter).filter((one) => !hasJoin(one));
    const inner =
      filter !== undefined && (can.nestedKnnFilters || isJoined(parts)) ? [{ bool: { filter: parts } }] : [];
    const knn = { [passageVector(field)]: { ...rest, ...(inner.length > 0 && { filter: inner[0] }) } };
    const found = { nested: { path: field, score_mode: "max", query: { knn } } };
    // 2.x applies other filters to the passages themselves, which lack their document's fields. So the filter comes
    // after the k-NN query.
    return filter === undefined ? found : { bool: { must: [found], filter: [filter] } };
  }
  return Object.fromEntries(Object.entries(query).map(([key, member]) => [key, nested(member, fields, can)]));
}

/**
 * Returns whether 2.x applies a filter inside a k-NN query of passages to whole documents: only if no passage can match
 * it. Source: `NestedHelper.mightMatchNestedDocs` of OpenSearch 2.19.
 */
function isJoined(filter: unknown): boolean {
  if (Array.isArray(filter)) return filter.some(isJoined);
  if (!isObject(filter)) return false;
  const [[type, body] = ["", undefined]] = Object.entries(filter);
  if (!isObject(body)) return false;
  if (type === "bool") return isJoined(body.filter) || isJoined(body.must);
  const [[field, value] = ["", undefined]] = Object.entries(body);
  if (field.startsWith("_")) return false;
  // Ignoring case, it is an automaton, which may match passages.
  if (type === "term") return !isObject(value) || value.case_insensitive !== true;
  return type === "range" && isObject(value) && Object.values(value).some((bound) => typeof bound === "number");
}

/** Returns the filters that all apply. */
const conjuncts = (filter: unknown): unknown[] =>
  isObject(filter) && isObject(filter.bool) && Object.keys(filter.bool).join() === "filter"
    ? [filter.bool.filter].flat().flatMap(conjuncts)
    : [filter];

/** Returns whether a filter has a query of other documents, which 2.x looks for among the passages. */
const hasJoin = (filter: unknown): boolean =>
  isObject(filter) || Array.isArray(filter)
    ? Object.entries(filter).some(([type, body]) => JOINS.includes(type) || hasJoin(body))
    : false;

const JOINS = ["nested", "has_child", "has_parent", "parent_id"];

/** Returns the fields with passages for which a search requests highlights. */
export function highlighted({ highlight }: Readonly<Record<string, unknown>>, fields: Fields): string[] {
  const wanted = isObject(highlight) ? [highlight.fields].flat() : [];
  return [...fields].filter((field) => wanted.some((one) => isObject(one) && Object.hasOwn(one, field)));
}

/**
 * Returns a highlight, as JSON, without fields that have passages; without JSON if no other field remains. Undefined if
 * there is nothing to remove.
 */
export function withoutPassages(highlight: unknown, fields: Fields): { json: string | undefined } | undefined {
  if (!isObject(highlight) || highlighted({ highlight }, fields).length === 0) return undefined;
  const without = (one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).filter(([field]) => !fields.has(field))) : one;
  const isLeft = (one: unknown) => !isObject(one) || Object.keys(one).length > 0;
  const left = Array.isArray(highlight.fields)
    ? highlight.fields.map(without).filter(isLeft)
    : without(highlight.fields);
  const isEmpty = Array.isArray(left) ? left.length === 0 : !isLeft(left);
  return { json: isEmpty ? undefined : JSON.stringify({ ...highlight, fields: left }) };
}
