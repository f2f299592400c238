import * as v from "valibot";
import { loadConfiguration } from "../../lib/config/load.ts";
import { CONVERSIONS } from "../../lib/core/contract/measuring.ts";
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
    const { recommendationText } = await import("../../lab/recommendations/text.ts");
    const { reportRecommendations } = await import("../../lab/recommendations/report-recommendations.ts");
    const { recommendation } = loadConfiguration(confOf(options));
    const report = await reportRecommendations(logSource(options, context), recommendation, options.conversions);
    if (options.json) terminal.printJson(report);
    else terminal.print(recommendationText(report));
    return 0;
  },
});
