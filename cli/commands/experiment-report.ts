import * as v from "valibot";
import type { ExperimentReport } from "../../lab/experiments/report.ts";
import { loadHybridSearch } from "../../lib/config/load.ts";
import { MEASURE_NAMES } from "../../lib/core/experiments/measures.ts";
import { table } from "../../lib/core/table.ts";
import { confOf, defineCommand } from "../command.ts";
import { Failure, UsageError } from "../errors.ts";
import { defineLogOptions, logOptions, withStoredLog } from "../lab/stored-log.ts";

/** `relevance experiment report`: compares the variants of an experiment on what users clicked. */
export const command = defineCommand({
  example: "relevance experiment report more_meaning --days 14",
  json: true,
  define: (command) => {
    command.argument("<name>", "name of the experiment in hybrid_search.yaml");
    defineLogOptions(command);
    command.option("--metric <name>", `what decides: ${MEASURE_NAMES.join(", ")}`, "click_through");
  },
  options: {
    ...logOptions,
    name: v.string(),
    metric: v.picklist(MEASURE_NAMES, `must be ${MEASURE_NAMES.join(", ")}`),
  },
  run: async (options, context) => {
    const { terminal } = context;
    const { experiments } = loadHybridSearch(confOf(options));
    const experiment = experiments.find(({ name }) => name === options.name);
    if (!experiment) {
      const known = experiments.map(({ name }) => name).join(", ") || "none";
      throw new UsageError(`hybrid_search.yaml has no experiment "${options.name}"; it has ${known}`);
    }
    const none = `The request log has no search of a user in ${experiment.name} in the last ${options.days} days`;
    if (experiment.kind === "interleave") {
      const { preferencesOf, preferenceReport, preferenceLines } = await import("../../lab/experiments/preference.ts");
      const users = await withStoredLog(options, context, ({ log, ...period }) =>
        preferencesOf(log, period, experiment),
      );
      if (users.length === 0) throw new Failure(none);
      const report = preferenceReport(experiment, users);
      if (options.json) terminal.printJson(report);
      else terminal.print(preferenceLines(report).join("\n"));
      return 0;
    }
    const log = await withStoredLog(options, context, async ({ log: stored, ...period }) => {
      const { usersOfExperiment } = await import("../../lab/experiments/users.ts");
      return usersOfExperiment(stored, period, experiment.name);
    });
    if (log.users.length === 0) {
      throw new Failure(none);
    }
    const { reportOf, verdictLines } = await import("../../lab/experiments/report.ts");
    const report = reportOf(experiment, log, options.metric);
    if (options.json) terminal.printJson(report);
    else terminal.print(`${tableOf(report)}\n\n${verdictLines(report).join("\n")}`);
    return 0;
  },
});

function tableOf({ variants }: ExperimentReport): string {
  const rows = variants.map(({ name, users, searches, measures }) => {
    const cells = MEASURE_NAMES.map((measure) => {
      const { value, low, high } = measures[measure];
      const digits = measure === "milliseconds" ? 1 : 4;
      return `${value.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
    });
    return [name, String(users), String(searches), ...cells];
  });
  return table(["variant", "users", "searches", ...MEASURE_NAMES], rows);
}
