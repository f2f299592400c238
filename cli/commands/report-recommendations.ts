import * as v from "valibot";
import type { Estimate } from "../../lab/experiments/report.ts";
import type { PlaceReport, RecommendationReport } from "../../lab/recommendations/places.ts";
import { loadConfiguration } from "../../lib/config/load.ts";
import { CONVERSIONS } from "../../lib/core/contract/measuring.ts";
import { table } from "../../lib/core/table.ts";
import { confOf, defineCommand } from "../command.ts";
import { defineLogOptions, logOptions, logSource } from "../lab/stored-log.ts";

/** `relevance report recommendations`: what users did with recommendations, beside popular items. */
export const command = defineCommand({
  example: "relevance report recommendations --days 7",
  json: true,
  define: (command) => {
    defineLogOptions(command);
    command.option(
      "--conversions <types>",
      "event types that count as conversions, separated by commas",
      CONVERSIONS.join(","),
    );
  },
  options: {
    ...logOptions,
    conversions: v.pipe(
      v.string(),
      v.transform((text) => text.split(",").map((type) => type.trim())),
      v.check((types) => types.every((type) => type !== ""), "must be event types, separated by commas"),
    ),
  },
  run: async (options, context) => {
    const { terminal } = context;
    const { reportRecommendations } = await import("../../lab/recommendations/report-recommendations.ts");
    const { recommendation } = loadConfiguration(confOf(options));
    const report = await reportRecommendations(logSource(options, context), recommendation, options.conversions);
    if (options.json) terminal.printJson(report);
    else terminal.print(await textOf(report));
    return 0;
  },
});

async function textOf({ places, experiments, hashed }: RecommendationReport): Promise<string> {
  const [{ placeLines }, { verdictLines }] = await Promise.all([
    import("../../lab/recommendations/places.ts"),
    import("../../lab/experiments/report.ts"),
  ]);
  const blocks = [
    table(["place", "lists", "users", ...SHARES, "coverage", "novelty", "popular novelty"], places.map(rowOf)),
    placeLines({ places, hashed }).join("\n"),
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
