import { isObject, isRawNumber } from "../../platform/json/values.ts";

/** The member with the inner query, of queries by nested, parent or child documents of a hit. */
export const JOINING: Readonly<Record<string, string>> = { nested: "query", has_child: "query", has_parent: "query" };

/** The same of queries that change the score of an inner one of the same documents. */
export const RESCORING: Readonly<Record<string, string>> = {
  boosting: "positive",
  function_score: "query",
  script_score: "query",
};

/**
 * Members of native queries that contain scoring queries. Filters and exclusions stay as they are, since rules or access
 * may rely on them.
 */
const SCORING: Readonly<Record<string, string | readonly string[]>> = {
  ...JOINING,
  ...RESCORING,
  bool: ["must", "should"],
  dis_max: "queries",
  hybrid: "queries",
};

/** Returns what replaces a query of this kind; undefined to look at the queries inside it. */
type Change = (kind: string, value: Record<string, unknown>) => unknown;

/** Returns a query, or a list of them, in which queries in scoring places are replaced. */
export function mapScoring(query: unknown, change: Change): unknown {
  if (Array.isArray(query)) return query.map((one) => mapScoring(one, change));
  if (!isObject(query) || isRawNumber(query)) return query;
  const [[kind, inner] = ["", undefined], ...others] = Object.entries(query);
  if (others.length > 0 || !isObject(inner)) return query;
  const changed = change(kind, inner);
  if (changed !== undefined) return changed;
  const scoring = Object.hasOwn(SCORING, kind) ? SCORING[kind] : undefined;
  if (!scoring) return query;
  const names = [scoring].flat();
  const members = Object.entries(inner).map(([key, one]) => [key, names.includes(key) ? mapScoring(one, change) : one]);
  return { [kind]: Object.fromEntries(members) };
}
