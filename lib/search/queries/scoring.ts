import { isObject, isRawNumber } from "../../platform/json/values.ts";

/**
 * Members of native queries that contain scoring queries. Filters and exclusions stay as they are, since rules or access
 * may rely on them.
 */
const SCORING: Readonly<Record<string, readonly string[]>> = {
  bool: ["must", "should"],
  boosting: ["positive"],
  dis_max: ["queries"],
  function_score: ["query"],
  has_child: ["query"],
  has_parent: ["query"],
  hybrid: ["queries"],
  nested: ["query"],
  script_score: ["query"],
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
  const members = Object.entries(inner).map(([key, one]) => [
    key,
    scoring.includes(key) ? mapScoring(one, change) : one,
  ]);
  return { [kind]: Object.fromEntries(members) };
}
