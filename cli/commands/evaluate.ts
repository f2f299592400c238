import { writeFileSync } from "node:fs";
import * as v from "valibot";
import { EVALUATED_METRICS } from "../../lib/platform/contract/measuring.ts";
import { SEARCHES } from "../../lib/platform/contract/search.ts";
import { defineCommand } from "../command.ts";
import { gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { judgedOptions } from "../lab/judged-options.ts";
import { maybe, option } from "../options.ts";

/** `relevance evaluate`: measures settings of the search gateway against judgments. */
export const command = defineCommand({
  example: "relevance evaluate --local --settings settings.yaml --judgments judgments.csv --html report.html",
  json: true,
  options: {
    ...judgedOptions("YAML file with the index and the settings to compare; the first is the baseline"),
    metrics: option("--metrics <names>", "metrics; the first decides the verdict", v.string(), {
      default: EVALUATED_METRICS,
    }),
    failBelow: option(
      "--fail-below <metric=value>",
      "exit with 1 if the baseline's mean is below the value; may be repeated",
      v.array(v.string()),
      { repeated: true },
    ),
    html: option("--html <file>", "write a report as one HTML page", maybe),
    ...gatewayOptions,
  },
  run: async (options, context) => {
    const { limitsOf, missedLimits } = await import("../../packages/lab/evaluation/limits.ts");
    const { degradedTexts, evaluationText } = await import("../../packages/lab/evaluation/text.ts");
    const { metricsOf, readQueries, readSettings } = await import("../../packages/lab/evaluation/input.ts");
    const { measureSettings } = await import("../../packages/lab/evaluation/measure-settings.ts");
    const { terminal } = context;
    const metrics = metricsOf(options.metrics);
    const limits = limitsOf(options.failBelow, metrics);
    const file = readSettings(options.settings);
    const judged = readQueries(options, file.index, terminal.note);
    const gateway = await openGateway(options, context, SEARCHES);
    const { concurrency } = options;
    const evaluation = await measureSettings({ file, judged, metrics, concurrency }, { gateway, note: terminal.note });
    if (options.html !== undefined) {
      const { htmlReport } = await import("../../packages/lab/evaluation/html.ts");
      writeFileSync(options.html, htmlReport(evaluation, `Evaluation of ${file.index}`));
    }
    if (options.json) terminal.printJson(evaluation);
    else {
      terminal.print(evaluationText(evaluation));
      for (const text of degradedTexts(evaluation)) terminal.note(text);
    }
    const missed = missedLimits(evaluation, limits);
    for (const text of missed) terminal.note(text);
    return missed.length > 0 ? 1 : 0;
  },
});
