import { concurrently } from "@relevance/lib/platform/resilience/concurrently.ts";
import type { HybridSearchAnswer, SearchAnswer } from "../../clients/typescript/src/types.ts";
import type { Gateway, GatewayAnswer } from "../gateway/gateway.ts";
import type { Metric } from "../metrics/metric.ts";
import type { Run } from "./evaluate.ts";
import { gatewayCall, type Query, type Setting, type SettingsFile } from "./settings-file.ts";

/** The hits that a setting is asked for at least: metrics without a depth look at all of them. */
const MIN_SIZE = 100;

/** Searches for all queries with a setting. */
export function searchAll(
  gateway: Gateway,
  file: SettingsFile,
  setting: Setting,
  queries: readonly Query[],
  metrics: readonly Metric[],
  concurrency: number,
): Promise<Run[]> {
  const size = Math.max(MIN_SIZE, ...metrics.map(({ k }) => k ?? 0));
  return concurrently(queries, concurrency, async (query) => {
    const { path, body } = gatewayCall(file, setting, query, size);
    return readRun(await gateway.post<AnySearchAnswer>(path, body));
  });
}

/** The members of both kinds of searches, and those that a hybrid one alone has. */
export type AnySearchAnswer = SearchAnswer &
  Partial<Pick<HybridSearchAnswer, "settings" | "search_request_template" | "experiment">>;

/** The pipeline that a hybrid search was sent with, whose only phase results processor fuses. */
interface Pipeline {
  phase_results_processors: Record<string, { combination: { parameters?: { weights: number[] } } }>[];
}

/** Reads what one search found. A document that two indexes have counts once. */
export function readRun({ body, milliseconds }: Pick<GatewayAnswer<AnySearchAnswer>, "body" | "milliseconds">): Run {
  const { search_response, degraded = [], stages = [], settings, search_request_template, rules = [] } = body;
  // Settings are echoed as the request has them: the weights of the index are in the pipeline alone.
  const pipeline = search_request_template?.search_pipeline as Pipeline | undefined;
  const [fusion] = Object.values(pipeline?.phase_results_processors[0] ?? {});
  const usage = stages.find((stage) => stage.usage)?.usage;
  return {
    ranking: [...new Set(search_response.hits.hits.map(({ _id = "" }) => _id))],
    milliseconds,
    degraded: degraded.map(({ stage }) => stage),
    ...(degraded[0] && { degradedReason: `${degraded[0].stage}: ${degraded[0].reason}` }),
    ...(usage && { usage }),
    ...(settings && {
      fusedBy: { ...settings, weights: fusion?.combination.parameters?.weights ?? null },
    }),
    told: rules.flatMap(({ name: _, ...told }) => (Object.keys(told).length > 0 ? [told] : [])),
  };
}
