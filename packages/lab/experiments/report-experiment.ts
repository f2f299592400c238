import { MEASURE_NAMES, type Measure } from "@relevance/lib/platform/experiments/measures.ts";
import { Failure, UsageError } from "@relevance/lib/platform/failure.ts";
import { table } from "@relevance/lib/platform/table.ts";
import type { Experiment } from "@relevance/lib/settings/hybrid-search.ts";
import { type LogSource, withStoredLog } from "../stored-log/stored-log.ts";
import { type PreferenceReport, preferenceLines, preferenceReport, preferencesOf } from "./preference.ts";
import { type ExperimentReport, reportOf, verdictLines } from "./report.ts";
import { usersOfExperiment } from "./users.ts";

interface Reported {
  report: ExperimentReport | PreferenceReport;
  /** The report in a table and sentences. */
  text: string;
}

/** Compares the variants of an experiment by the stored log. Throws UsageError for an unknown one, Failure without searches. */
export async function reportExperiment(
  source: LogSource,
  experiments: readonly Experiment[],
  { name, metric }: { name: string; metric: Measure },
): Promise<Reported> {
  const experiment = experiments.find((one) => one.name === name);
  if (!experiment) {
    const known = experiments.map((one) => one.name).join(", ") || "none";
    throw new UsageError(`hybrid_search.yaml has no experiment "${name}"; it has ${known}`);
  }
  const none = `The request log has no search of a user in ${name} in the last ${source.days} days`;
  if (experiment.kind === "interleave") {
    const users = await withStoredLog(source, ({ log, ...period }) => preferencesOf(log, period, experiment));
    if (users.length === 0) throw new Failure(none);
    const report = preferenceReport(experiment, users);
    return { report, text: preferenceLines(report).join("\n") };
  }
  const log = await withStoredLog(source, ({ log: stored, ...period }) => usersOfExperiment(stored, period, name));
  if (log.users.length === 0) throw new Failure(none);
  const report = reportOf(experiment, log, metric);
  return { report, text: `${tableOf(report)}\n\n${verdictLines(report).join("\n")}` };
}

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
