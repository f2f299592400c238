import { verdictText } from "../evaluation/sentences.ts";
import type { Preview } from "./preview.ts";

/** Returns how many queries change and how, and the verdict on those that are judged. */
export function previewText({ queries, totals, evaluation, depth, metric }: Preview): string {
  const { better, worse, changed, unchanged } = totals;
  const parts = [
    ...(better > 0 ? [`${better} better`] : []),
    ...(worse > 0 ? [`${worse} worse`] : []),
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(unchanged > 0 ? [`${unchanged} unchanged`] : []),
  ];
  const counted = `Of ${queries.length} ${queries.length === 1 ? "query" : "queries"}: ${parts.join(", ")}.`;
  const how =
    changed > 0 && evaluation
      ? [
          `"Changed" are others whose first ${depth} hits differ: ${metric} is the same, too little is judged, or unjudged hits decide.`,
        ]
      : [];
  return [counted, ...how, evaluation ? verdictText(evaluation) : "No query is judged, so nobody measured it."].join(
    " ",
  );
}
