import { UsageError } from "@relevance/lib/platform/failure.ts";
import { evaluate, type Run } from "../evaluation/evaluate.ts";
import type { JudgedQueries } from "../evaluation/input.ts";
import { searchAll } from "../evaluation/searches.ts";
import type { Query, SettingsFile } from "../evaluation/settings-file.ts";
import type { SearchPorts } from "../gateway/ports.ts";
import type { Metric } from "../metrics/metric.ts";
import { type Preview, previewOf } from "./preview.ts";

/** A preview without judgments. */
export const NOTHING_JUDGED: JudgedQueries = {
  judgments: new Map(),
  queries: [],
  origins: {},
  check: undefined,
  warnings: [],
};

interface Previewing {
  /** Has two settings: before the change and after. */
  file: SettingsFile;
  judged: JudgedQueries;
  /** Searched for besides, each once. */
  texts: readonly string[];
  metric: Metric;
  /** Searches at a time. */
  concurrency: number;
}

/** Searches for each query before a change and after, and compares what is found. Throws UsageError and Failure. */
export async function previewChange(
  { file, judged, texts, metric, concurrency }: Previewing,
  { gateway, note }: SearchPorts,
): Promise<Preview> {
  const [before, after, ...more] = file.settings;
  if (!before || !after || more.length > 0) {
    throw new UsageError("A preview needs two settings: one before the change and one after");
  }
  const known = new Set(judged.queries.map(({ text }) => text));
  const tidied = texts.map((text) => text.replaceAll(/\s+/g, " ").trim());
  const unjudged = [...new Set(tidied)].filter((text) => text !== "" && !known.has(text));
  const queries: Query[] = [...judged.queries, ...unjudged.map((text) => ({ id: text, text, userId: undefined }))];
  if (queries.length === 0) throw new UsageError("There is no query: give --judgments, --texts, or both");
  const runs: Run[][] = [];
  for (const setting of [before, after]) {
    note(`${setting.name}: ${queries.length} queries`);
    runs.push(await searchAll(gateway, file, setting, queries, [metric], concurrency));
  }
  const [was = [], is = []] = runs;
  const { judgments, origins, check, warnings } = judged;
  // The judged queries are the first ones.
  const ids = judged.queries.map(({ id }) => id);
  const settings = [
    { name: before.name, runs: was.slice(0, ids.length) },
    { name: after.name, runs: is.slice(0, ids.length) },
  ];
  const evaluation =
    ids.length === 0 ? null : evaluate(ids, settings, judgments, [metric], { origins, check, warnings });
  const names = [before.name, after.name] as const;
  return previewOf({ names, queries, before: was, after: is, metric, judgments, evaluation });
}
