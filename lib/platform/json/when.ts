import { isObject } from "./values.ts";

/**
 * A clause of a template is dropped without a parameter if it has the mark `when: <parameter>`. Marks count only where
 * the cluster expects the name of a query, function, rescorer or aggregation, so that no field of a document is taken
 * for one: in the lists below, and in each aggregation.
 */
const CLAUSES = new Set(["must", "must_not", "should", "filter", "functions", "rescore"]);

const AGGREGATIONS = new Set(["aggs", "aggregations"]);

/** Values below these keys are data: documents of percolate and more_like_this, parameters of scripts and plugins. */
const DATA = new Set(["doc", "document", "documents", "params", "ext"]);

/** Returns whether the members of a template's member are data, in which nothing is a mark. */
export const isData = (key: string): boolean => DATA.has(key);

/** Returns the clauses of a template's member that may have a mark, by position or name; undefined for other members. */
export function clausesAt(key: string, member: unknown): [at: string | number, clause: unknown][] | undefined {
  if (CLAUSES.has(key) && Array.isArray(member)) return [...member.entries()];
  return AGGREGATIONS.has(key) && isObject(member) ? Object.entries(member) : undefined;
}

/** Returns the value of a clause's mark, which names a parameter; undefined without a mark. */
export const markOf = (clause: unknown): unknown => (isObject(clause) ? clause.when : undefined);

/**
 * Returns a copy of a template without marks, and without the clauses whose parameter has no value. A list that becomes
 * empty is left out, since the cluster does not take an empty one everywhere.
 */
export function withoutAbsent(template: unknown, hasValue: (parameter: string) => boolean): unknown {
  const isKept = (clause: unknown) => {
    const mark = markOf(clause);
    return typeof mark !== "string" || hasValue(mark);
  };
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (!isObject(value)) return value;
    const members = new Map<string, unknown>();
    for (const [key, member] of Object.entries(value)) {
      const clauses = isData(key) ? undefined : clausesAt(key, member);
      const kept = clauses
        ?.filter(([, clause]) => isKept(clause))
        .map(([at, clause]): [string | number, unknown] => [at, copy(unmarked(clause))]);
      if (!kept) members.set(key, isData(key) ? member : copy(member));
      else if (kept.length > 0 || clauses?.length === 0) {
        members.set(key, Array.isArray(member) ? kept.map(([, clause]) => clause) : Object.fromEntries(kept));
      }
    }
    // With no clauses left, it could never be met.
    if (value.should !== undefined && !members.has("should")) members.delete("minimum_should_match");
    return Object.fromEntries(members);
  };
  return copy(template);
}

function unmarked(clause: unknown): unknown {
  if (!isObject(clause) || typeof clause.when !== "string") return clause;
  const { when: _, ...rest } = clause;
  return rest;
}
