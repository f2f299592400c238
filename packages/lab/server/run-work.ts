import {
  DECIDING_METRIC,
  EVALUATED_METRICS,
  SEARCHES_AT_ONCE,
  TUNED_CANDIDATES,
} from "@relevance/lib/platform/contract/measuring.ts";
import { UsageError } from "@relevance/lib/platform/failure.ts";
import { loadHybridSearch } from "@relevance/lib/settings/load.ts";
import { metricsOf, readQueries } from "../evaluation/input.ts";
import { measureSettings } from "../evaluation/measure-settings.ts";
import type { SettingsFile } from "../evaluation/settings-file.ts";
import { type GatewayAddress, gatewayAt } from "../gateway/gateway.ts";
import type { SearchPorts } from "../gateway/ports.ts";
import { NOTHING_JUDGED, previewChange } from "../preview/preview-change.ts";
import { tuneSettings } from "../tuning/tune-settings.ts";

/** An evaluation, a tuning or a preview to work on. A thread can be given it. */
export interface RunWork {
  kind: "evaluate" | "tune" | "preview";
  settings: SettingsFile;
  /** Path of the judgments file; undefined for a preview of texts alone. */
  judgments?: string | undefined;
  /** Texts that a preview searches for besides the judged ones. */
  texts?: readonly string[] | undefined;
  metrics?: string | undefined;
  gateway: GatewayAddress;
  /** Folder of the configuration. */
  conf: string;
}

/** Result of a run. */
export interface WorkedRun {
  /** JSON output of the command of the same name. */
  result: string;
  /** The heat map of a tuning, as SVG. */
  picture?: string;
}

/** Does the work of a run. Throws what the command of this name would. */
export async function workOnRun(work: RunWork, note: SearchPorts["note"]): Promise<WorkedRun> {
  const { kind, settings: file, judgments, texts = [], metrics, conf } = work;
  const ports = { gateway: gatewayAt(work.gateway), note };
  const judged = judgments === undefined ? NOTHING_JUDGED : readQueries({ judgments }, file.index, note);
  const common = { file, judged, concurrency: SEARCHES_AT_ONCE };
  const named = metricsOf(metrics ?? (kind === "evaluate" ? EVALUATED_METRICS : DECIDING_METRIC));
  if (kind === "evaluate") {
    return { result: JSON.stringify(await measureSettings({ ...common, metrics: named }, ports)) };
  }
  const [metric, ...more] = named;
  if (!metric || more.length > 0) throw new UsageError(`A ${kind} takes one metric`);
  if (kind === "preview") return { result: JSON.stringify(await previewChange({ ...common, texts, metric }, ports)) };
  const { hybrid_queries: entries } = loadHybridSearch(conf);
  const { tuning, draw } = await tuneSettings(
    { ...common, metric, entries, candidates: TUNED_CANDIDATES, ks: [] },
    ports,
  );
  return { result: JSON.stringify({ ...tuning, metric: metric.name, warnings: judged.warnings }), picture: draw() };
}
