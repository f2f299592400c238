import { FEWEST_DIFFERENCES } from "@relevance/lib/platform/statistics/resampling.ts";
import type { FieldReport } from "./measure-recall.ts";

const shown = (value: number) => value.toFixed(3);

/** Returns the recall of a field in a line. */
export function recallText({ field, vectors, documents, queries, k, recall, ndcg, milliseconds }: FieldReport): string {
  const interval = queries < FEWEST_DIFFERENCES ? "" : ` (95 % interval ${shown(recall.low)} to ${shown(recall.high)})`;
  const parts = [
    `recall@${k} ${shown(recall.mean)}${interval} over ${queries} queries`,
    documents === undefined ? "" : `${documents} documents`,
    ndcg ? `nDCG@${k} ${shown(ndcg.approximate)} against ${shown(ndcg.exact)} over ${ndcg.queries} judged queries` : "",
    `${milliseconds.approximate} ms against ${milliseconds.exact} ms (median)`,
  ];
  return `${field}${vectors === undefined ? "" : ` as ${vectors}`}: ${parts.filter(Boolean).join(", ")}`;
}
