import { writeFileSync } from "node:fs";
import * as v from "valibot";
import { DECIDING_METRIC, TUNED_CANDIDATES } from "../../lib/platform/contract/measuring.ts";
import { UsageError } from "../../lib/platform/failure.ts";
import { loadHybridSearch } from "../../lib/settings/load.ts";
import { confOf, defineCommand } from "../command.ts";
import { gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { judgedOptions } from "../lab/judged-options.ts";
import { flag, maybe, option } from "../options.ts";

const Depths = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,3}(,[1-9]\d{0,3})*$/, "must be numbers from 1 to 9999, separated by commas"),
  v.transform((text) => text.split(",").map(Number)),
);

/** `relevance tune`: finds settings of hybrid search, or weight and scale of a boost, and writes them into hybrid_search.yaml. */
export const command = defineCommand({
  example: "relevance tune --local --settings settings.yaml --judgments judgments.csv --write",
  json: true,
  options: {
    ...judgedOptions("YAML file with the index and a hybrid template, as for evaluate"),
    metric: option("--metric <name>", "metric to improve", v.string(), { default: DECIDING_METRIC }),
    candidates: option("--candidates <numbers>", "candidates to try, besides the current number", Depths, {
      default: TUNED_CANDIDATES.join(","),
    }),
    k: option(
      "--k <numbers>",
      "values of k to try besides that of the template's knn queries; each costs a retrieval",
      v.optional(Depths),
    ),
    write: flag("--write", "write better settings into hybrid_search.yaml"),
    picture: option("--picture <file>", "draw the metric over the weights of the first two subqueries, as SVG", maybe),
    ...gatewayOptions,
  },
  run: async (options, context) => {
    const { metricsOf, readQueries, readSettings } = await import("../../packages/lab/evaluation/input.ts");
    const { reportOf, tuningReport } = await import("../../packages/lab/tuning/text.ts");
    const { tuneSettings, writeTuned } = await import("../../packages/lab/tuning/tune-settings.ts");
    const { terminal } = context;
    const { note } = terminal;
    const { candidates, k: ks = [], concurrency } = options;
    const [metric] = metricsOf(options.metric);
    if (!metric) throw new UsageError("--metric needs a metric");
    const file = readSettings(options.settings);
    const [setting] = file.settings;
    const { hybrid_queries: entries } = loadHybridSearch(confOf(options));
    const judged = readQueries(options, file.index, note);
    const gateway = await openGateway(options, context, [setting?.search_request ? "search" : "hybrid-search"]);
    const request = { file, judged, metric, entries, candidates, ks, concurrency };
    if (setting?.boost?.factors?.length) {
      const { boostText } = await import("../../packages/lab/tuning/boost.ts");
      const { tuneBoostOf, writeBoost } = await import("../../packages/lab/tuning/tune-boost.ts");
      const boosted = await tuneBoostOf({ ...setting, boost: setting.boost }, request, { gateway, note });
      const { best, ...found } = boosted.tuning;
      if (options.json) terminal.printJson({ ...boosted.tuning, metric: metric.name, warnings: judged.warnings });
      else terminal.print(reportOf(found, metric.name, boostText(best)));
      if (options.write && found.isReal) writeBoost(confOf(options), boosted, note);
      return;
    }
    const tuned = await tuneSettings(request, { gateway, note });
    const { tuning } = tuned;
    if (options.picture !== undefined) writeFileSync(options.picture, tuned.draw());
    if (options.json) terminal.printJson({ ...tuning, metric: metric.name, warnings: judged.warnings });
    else terminal.print(tuningReport(tuning, metric.name));
    if (options.write && tuning.isReal) writeTuned(confOf(options), tuned, note);
  },
});
