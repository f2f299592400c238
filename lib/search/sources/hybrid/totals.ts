import type { Degradation } from "../../../platform/http/degradation.ts";
import { elementSlices, memberSlices, withMembers } from "../../../platform/json/slices.ts";
import { type SearchAnswer, searchFailure } from "../../page/answer.ts";

type Native = Readonly<Record<string, unknown>>;

/** Members of a native body that affect counts and aggregations. */
const COUNTED = ["post_filter", "aggs", "aggregations", "track_total_hits", "timeout", "terminate_after", "derived"];

const hasAggregations = ({ aggs, aggregations }: Native): boolean => (aggs ?? aggregations ?? undefined) !== undefined;

/** Returns whether the total counts all matches: with `min_score` it counts the fused list, which is always right. */
const hasTotal = ({ track_total_hits, min_score }: Native): boolean =>
  track_total_hits !== false && min_score === undefined;

/**
 * Returns whether a hybrid search returns totals or aggregations that are wrong on a cluster without `hybridTotals`.
 * They are right with a profile, or with an order other than by score, because then nothing is skipped.
 */
export function isMiscounted(native: Native): boolean {
  const isByField = native.sort !== undefined && !JSON.stringify(native.sort).includes("_score");
  return (hasTotal(native) || hasAggregations(native)) && native.profile !== true && !isByField;
}

/** Returns the body of a search that counts a hybrid search's matches: its subqueries in a bool, without hits. */
export function countBody(body: string): string {
  const members = memberSlices(body);
  const counted = COUNTED.flatMap((name) => {
    const slice = members.get(name);
    return slice ? [`"${name}":${body.slice(slice.start, slice.end)}`] : [];
  });
  const hybrid = memberSlices(body, memberSlices(body, members.get("query")?.start).get("hybrid")?.start);
  const should = elementSlices(body, hybrid.get("queries")?.start).map(({ start, end }) => body.slice(start, end));
  const bool = `"should":[${should.join(",")}],"minimum_should_match":1`;
  return `{"query":{"bool":{${bool}}},${[...counted, '"size":0'].join(",")}}`;
}

/** Replaces an answer's total and aggregations by those of a second search, which runs at the same time. */
export async function withTotals(
  search: Promise<SearchAnswer>,
  native: Native,
  count: () => Promise<SearchAnswer>,
): Promise<SearchAnswer> {
  const counted = count().catch(searchFailure);
  const [found, counts] = await Promise.all([search, counted]);
  const isWhole = typeof counts !== "string" && counts.partial.length === 0;
  if (!isWhole) return atLeast(found, typeof counts === "string" ? counts : (counts.partial[0]?.reason ?? ""));
  const total = hasTotal(native) ? { total: textAt(counts.text, "hits", "total") } : {};
  const aggregations = textAt(counts.text, "aggregations");
  return {
    ...found,
    ...(hasTotal(native) && { total: counts.total }),
    text: withMembers(withHitsMembers(found.text, total), aggregations === undefined ? {} : { aggregations }),
  };
}

/** Marks an answer's total as a lower bound, because its counts are too low. A partial answer already says so. */
function atLeast(found: SearchAnswer, reason: string): SearchAnswer {
  const total = found.total && ({ ...found.total, relation: "gte" } as const);
  const uncounted: Degradation = {
    stage: "totals",
    target: "search_response",
    reason: `matches could not be counted: ${reason}`,
    effect: "the total is a lower bound, and aggregations lack documents",
  };
  return {
    ...found,
    total,
    text: total ? withHitsMembers(found.text, { total: JSON.stringify(total) }) : found.text,
    partial: found.partial.length > 0 ? found.partial : [uncounted],
  };
}

function withHitsMembers(text: string, members: Readonly<Record<string, string | undefined>>): string {
  const hits = memberSlices(text).get("hits");
  return hits ? withMembers(text, { hits: withMembers(text.slice(hits.start, hits.end), members) }) : text;
}

function textAt(text: string, ...path: readonly string[]): string | undefined {
  let at: { start: number; end: number } | undefined = { start: 0, end: text.length };
  for (const name of path) at = at && memberSlices(text, at.start).get(name);
  return at && text.slice(at.start, at.end);
}
