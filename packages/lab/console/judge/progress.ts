import { percent } from "../../evaluation/sentences.ts";
import { LEAST_JUDGED } from "../../evaluation/verdict.ts";
import { judgmentsOf } from "../../judgments/judgments.ts";
import { MIN_QUERIES } from "../../tuning/tune.ts";
import { subqueries, variants } from "../search/results.ts";
import { variantTitle } from "../search/variants.ts";
import { judgmentsAboutIndex, ownRows } from "./judgments.ts";

/** How much is judged, and what further judgments make possible. */
export function progressText(): string {
  const rows = ownRows();
  const queries = new Set(rows.map((row) => row.query)).size;
  const missing = MIN_QUERIES - new Set(judgmentsAboutIndex().map((row) => row.query)).size;
  const next =
    missing > 0
      ? `Tuning needs ${MIN_QUERIES} judged queries: ${missing} to go.`
      : "Enough queries to tune; more make intervals narrower.";
  return `${rows.length} judged, in ${queries} ${queries === 1 ? "query" : "queries"}. ${next}`;
}

/**
 * How much is judged of what each variant found for a query, by whoever judged: without enough of it there is no verdict. It
 * shows nobody's grades.
 */
export function sharesText(query: string, found: readonly (readonly string[])[]): string {
  const grades = judgmentsOf(judgmentsAboutIndex()).get(query);
  const shares = variants.value.flatMap((variant, at) => {
    const ids = found[at] ?? [];
    const judged = ids.filter((id) => grades?.has(id)).length;
    return ids.length === 0 ? [] : [`${percent(judged / ids.length)} of ${variantTitle(variant, subqueries.value)}`];
  });
  return `Of the hits here ${shares.join(", ")} are judged; a verdict needs ${percent(LEAST_JUDGED)} of each over all queries.`;
}
