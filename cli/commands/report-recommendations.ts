import * as v from "valibot";
import { CONVERSIONS } from "../../lib/platform/contract/measuring.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { confOf, defineCommand } from "../command.ts";
import { logOptions, logSource } from "../lab/stored-log.ts";
import { option, words } from "../options.ts";

/** `relevance report recommendations`: what users did with recommendations, beside popular items. */
export const command = defineCommand({
  example: "relevance report recommendations --days 7",
  json: true,
  options: {
    ...logOptions,
    conversions: option(
      "--conversions <types>",
      "event types that count as conversions, separated by commas",
      v.pipe(
        words,
        v.check((types) => types.every((type) => type !== ""), "must be event types, separated by commas"),
      ),
      { default: CONVERSIONS.join(",") },
    ),
  },
  run: async (options, context) => {
    const { terminal } = context;
    const { recommendationText } = await import("../../packages/lab/recommendations/text.ts");
    const { reportRecommendations } = await import("../../packages/lab/recommendations/report-recommendations.ts");
    const { recommendation } = loadConfiguration(confOf(options));
    const report = await reportRecommendations(logSource(options, context), recommendation, options.conversions);
    if (options.json) terminal.printJson(report);
    else terminal.print(recommendationText(report));
  },
});
