import { isObject } from "../../platform/json/values.ts";
import { JOINING, RESCORING } from "./scoring.ts";

/** Queries of exact values: they select documents and rank none, wherever they stand. */
const SELECTING = new Set(
  `term terms terms_set range exists ids script match_none geo_bounding_box geo_distance geo_polygon geo_shape
  xy_shape`.split(/\s+/),
);

/** The member with the inner query, of queries around one. */
const AROUND: Readonly<Record<string, string>> = { ...RESCORING, ...JOINING };

/** Conditions of a query besides its scores. */
interface Conditions {
  /** Queries that all documents match. */
  all: unknown[];
  /** Whether the query also scores, such as by words or vectors. */
  scores: boolean;
}

const SCORED: Conditions = { all: [], scores: true };

/**
 * Returns the filters that a document must match to be among the hits of a query, whatever its score: every clause that
 * does not score, and every query of exact values, wherever they stand. Of alternatives (`should`, `dis_max`, subqueries)
 * it must match the conditions of one. Alternatives that only score lift no condition of the others.
 */
export const filtersOf = (query: unknown): unknown[] => conditionsOf(query).all;

function conditionsOf(query: unknown): Conditions {
  const [[type, body] = ["", undefined], ...others] = isObject(query) ? Object.entries(query) : [];
  if (others.length > 0 || !isObject(body)) return SCORED;
  if (SELECTING.has(type)) return { all: [query], scores: false };
  const around = AROUND[type];
  if (around !== undefined) return within(type, body, around);
  if (type === "constant_score") return { all: listOf(body.filter), scores: false };
  if (type === "dis_max") return oneOf(listOf(body.queries), 1);
  if (type === "hybrid") {
    const { all, scores } = oneOf(listOf(body.queries), 1);
    return { all: [...listOf(body.filter), ...all], scores };
  }
  if (type === "bool") return ofBool(body);
  const [clause] = Object.values(body);
  const near = (type === "knn" || type === "neural") && isObject(clause) ? clause.filter : undefined;
  return { all: listOf(near), scores: true };
}

/** Returns the conditions of a query around another one, such as `nested`. */
function within(type: string, body: Readonly<Record<string, unknown>>, member: string): Conditions {
  const inner = conditionsOf(body[member]);
  if (!Object.hasOwn(JOINING, type) || inner.all.length === 0) return inner;
  const { inner_hits: _, ...rest } = body;
  return { all: [{ [type]: { ...rest, [member]: { bool: { filter: inner.all } } } }], scores: inner.scores };
}

function ofBool({ filter, must, must_not, should, minimum_should_match }: Readonly<Record<string, unknown>>) {
  const filters = [...listOf(filter), ...without(listOf(must_not))];
  const required = listOf(must).map(conditionsOf);
  const least = minimum_should_match ?? (listOf(filter).length + required.length > 0 ? 0 : 1);
  const some = oneOf(listOf(should), least);
  return {
    all: [...filters, ...[...required, some].flatMap(({ all }) => all)],
    scores: [...required, some].some(({ scores }) => scores),
  };
}

const without = (must_not: readonly unknown[]) => (must_not.length > 0 ? [{ bool: { must_not } }] : []);

/** Returns the conditions of alternatives, of which a document matches at least so many. */
function oneOf(queries: readonly unknown[], least: unknown): Conditions {
  const each = queries.map(conditionsOf);
  const scores = each.some((one) => one.scores);
  const isOptional = least === 0 || least === "0" || least === "0%";
  // Beside words, an exact value on its own is there for its score.
  const limiting = each.filter((one) => one.all.length > 0);
  const isBoost = scores && !limiting.some((one) => one.scores);
  if (isOptional || isBoost || limiting.length === 0) return { all: [], scores };
  const [first] = limiting;
  const isSame = limiting.every((one) => JSON.stringify(one.all) === JSON.stringify(first?.all));
  if (isSame) return { all: first?.all ?? [], scores };
  const should = limiting.map(({ all }) => (all.length === 1 ? all[0] : { bool: { filter: all } }));
  return { all: [{ bool: { should, minimum_should_match: scores ? 1 : least } }], scores };
}

const listOf = (value: unknown): unknown[] => (value == null ? [] : [value].flat());
