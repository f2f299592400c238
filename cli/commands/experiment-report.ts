import * as v from "valibot";
import { MEASURE_NAMES } from "../../lib/platform/experiments/measures.ts";
import { loadHybridSearch } from "../../lib/settings/load.ts";
import { confOf, defineCommand } from "../command.ts";
import { logOptions, logSource } from "../lab/stored-log.ts";
import { argument, option } from "../options.ts";

/** `relevance experiment report`: compares the variants of an experiment on what users clicked. */
export const command = defineCommand({
  example: "relevance experiment report more_meaning --days 14",
  json: true,
  options: {
    name: argument("<name>", "name of the experiment in hybrid_search.yaml", v.string()),
    ...logOptions,
    metric: option(
      "--metric <name>",
      `what decides: ${MEASURE_NAMES.join(", ")}`,
      v.picklist(MEASURE_NAMES, `must be ${MEASURE_NAMES.join(", ")}`),
      { default: "click_through" },
    ),
  },
  run: async (options, context) => {
    const { reportExperiment } = await import("../../packages/lab/experiments/report-experiment.ts");
    const { experiments } = loadHybridSearch(confOf(options));
    const { report, text } = await reportExperiment(logSource(options, context), experiments, options);
    if (options.json) context.terminal.printJson(report);
    else context.terminal.print(text);
  },
});
