import type { Estimate } from "@relevance/lib/platform/statistics/share.ts";
import { table } from "@relevance/lib/platform/table.ts";
import { verdictLines } from "../experiments/report.ts";
import { type PlaceReport, placeLines, type RecommendationReport } from "./places.ts";

/** Returns a report as a table of the places, sentences about them, and the verdicts on experiments. */
export function recommendationText({ experiments, ...report }: RecommendationReport): string {
  const blocks = [
    table(["place", "lists", "users", ...SHARES, "coverage", "novelty", "popular novelty"], report.places.map(rowOf)),
    placeLines(report).join("\n"),
    ...experiments.map((report) => [`Experiment ${report.experiment}:`, ...verdictLines(report, "lists")].join("\n")),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

const SHARES = ["click_through", "conversion", "fallback", "degraded"] as const;

function rowOf(place: PlaceReport): string[] {
  const { novelty, popular_novelty, coverage } = place;
  return [
    place.place,
    String(place.answers),
    String(place.users),
    ...SHARES.map((share) => shown(place[share], 4)),
    coverage === null ? "-" : coverage.toFixed(4),
    shown(novelty, 1),
    popular_novelty === null ? "-" : popular_novelty.value.toFixed(1),
  ];
}

function shown(estimate: Estimate | null, digits: number): string {
  if (estimate === null) return "-";
  const { value, low, high } = estimate;
  return `${value.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}
