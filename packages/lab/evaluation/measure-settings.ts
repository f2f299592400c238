import type { SearchPorts } from "../gateway/ports.ts";
import type { Judgments } from "../judgments/judgments.ts";
import type { Metric } from "../metrics/metric.ts";
import { type Evaluation, evaluate, type SettingRuns } from "./evaluate.ts";
import type { JudgedQueries } from "./input.ts";
import { type AnySearchAnswer, readRun, searchAll } from "./searches.ts";
import type { SettingsFile } from "./settings-file.ts";

interface Measuring {
  file: SettingsFile;
  judged: JudgedQueries;
  /** The first decides the verdict. */
  metrics: readonly Metric[];
  /** Searches at a time. */
  concurrency: number;
}

/** Searches for all judged queries with every setting, and measures what they find. Throws Failure. */
export async function measureSettings(
  { file, judged, metrics, concurrency }: Measuring,
  { gateway, note }: SearchPorts,
): Promise<Evaluation> {
  const { queries, judgments, origins, check, warnings } = judged;
  const settings: SettingRuns[] = [];
  for (const setting of file.settings) {
    note(`${setting.name}: ${queries.length} queries`);
    const runs = await searchAll(gateway, file, setting, queries, metrics, concurrency);
    settings.push({ name: setting.name, runs });
  }
  const absent = await absentDocuments(gateway, file.index, settings, judgments);
  for (const warning of absent) note(`Warning: ${warning}.`);
  const ids = queries.map(({ id }) => id);
  return evaluate(ids, settings, judgments, metrics, { origins, check, warnings: [...warnings, ...absent] });
}

/** Judged documents that are looked for if no search found one. */
const LOOKED_FOR = 1_000;

/**
 * Returns a warning if no judged document is among the hits, which says whether the index has any. A key that may not
 * search by id is no reason to fail.
 */
async function absentDocuments(
  gateway: SearchPorts["gateway"],
  index: string,
  settings: readonly SettingRuns[],
  judgments: Judgments,
): Promise<string[]> {
  const judged = new Set([...judgments.values()].flatMap((grades) => [...grades.keys()]));
  if (settings.some(({ runs }) => runs.some(({ ranking }) => ranking.some((id) => judged.has(id))))) return [];
  const search_request = { size: 1, query: { ids: { values: [...judged].slice(0, LOOKED_FOR) } } };
  const body = { index, is_logging_enable: false, search_request };
  const found = await gateway.post<AnySearchAnswer>("/application/search", body).then(readRun, () => undefined);
  if (!found || found.ranking.length > 0) return ["No search found a judged document, so every metric is 0"];
  const [example] = judged;
  return [
    `No judged document, such as ${JSON.stringify(example)}, exists in ${index}, so every metric is 0: the judgments are ` +
      "about another index, or name documents by another field than _id",
  ];
}
