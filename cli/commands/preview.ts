import { readFileSync } from "node:fs";
import * as v from "valibot";
import { DECIDING_METRIC } from "../../lib/platform/contract/measuring.ts";
import { SEARCHES } from "../../lib/platform/contract/search.ts";
import { UsageError } from "../../lib/platform/failure.ts";
import { defineCommand } from "../command.ts";
import { gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { judgedOptions } from "../lab/judged-options.ts";
import { maybe, option } from "../options.ts";

/** `relevance preview`: shows what a change does to each query of a set, before it is in use. */
export const command = defineCommand({
  example: "relevance preview --local --settings change.yaml --judgments judgments.csv --texts texts.txt",
  json: true,
  options: {
    ...judgedOptions("YAML file as for evaluate, with two settings: before the change and after"),
    judgments: option("--judgments <file>", "judgments, whose queries are searched and measured", maybe),
    texts: option("--texts <file>", "texts to search for besides, one in a line", maybe),
    metric: option("--metric <name>", "metric that decides", v.string(), { default: DECIDING_METRIC }),
    ...gatewayOptions,
  },
  run: async (options, context) => {
    const { metricsOf, readQueries, readSettings } = await import("../../packages/lab/evaluation/input.ts");
    const { NOTHING_JUDGED, previewChange } = await import("../../packages/lab/preview/preview-change.ts");
    const { previewTable } = await import("../../packages/lab/preview/text.ts");
    const { note } = context.terminal;
    const { judgments, concurrency } = options;
    const file = readSettings(options.settings);
    const [metric, ...more] = metricsOf(options.metric);
    if (!metric || more.length > 0) throw new UsageError("--metric takes one metric");
    const judged = judgments === undefined ? NOTHING_JUDGED : readQueries({ ...options, judgments }, file.index, note);
    const texts = options.texts === undefined ? [] : readFileSync(options.texts, "utf8").split("\n");
    const gateway = await openGateway(options, context, SEARCHES);
    const preview = await previewChange({ file, judged, texts, metric, concurrency }, { gateway, note });
    if (options.json) context.terminal.printJson(preview);
    else {
      context.terminal.print(previewTable(preview));
      for (const warning of preview.warnings) note(`Warning: ${warning}.`);
    }
  },
});
