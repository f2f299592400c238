import { MAX_ID } from "../../../personalize/limits.ts";
import type { Hit } from "./answer.ts";

/** Returns a hit's item id, from `_id` or a path in `_source`; undefined if Personalize would not accept it. */
export function itemIdOf(hit: Hit, field: string): string | undefined {
  const value = field === "_id" ? hit._id : valueAt(hit._source, field);
  // A number beyond 2^53 was rounded when the hit was parsed and would be the id of another item.
  const id = Number.isSafeInteger(value) ? String(value) : value;
  return typeof id === "string" && id !== "" && id.length <= MAX_ID ? id : undefined;
}

/** Ids of hits, all from one field so that they can be joined with it. */
export interface ObjectIds {
  field: string;
  ids: string[];
}

/**
 * Returns the ids of hits from the item id field, or all of them from `_id` if one hit lacks the field (an item without
 * it, or a `_source` that excludes it): ids of two kinds under one name could not be told apart.
 */
export function objectIdsOf(hits: readonly Hit[], itemIdField: string): ObjectIds {
  const ids = itemIdField === "_id" ? [] : hits.flatMap((hit) => itemIdOf(hit, itemIdField) ?? []);
  return ids.length === hits.length ? { field: itemIdField, ids } : { field: "_id", ids: hits.map(({ _id }) => _id) };
}

function valueAt(source: unknown, path: string): unknown {
  const object = source as Record<string, unknown> | undefined;
  if (object?.[path] !== undefined) return object[path];
  return path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], source);
}
