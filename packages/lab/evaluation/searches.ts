import { Failure } from "@relevance/lib/platform/failure.ts";
import { concurrently } from "@relevance/lib/platform/resilience/concurrently.ts";
import * as v from "valibot";
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
    return readRun(await gateway.post(path, body));
  });
}

/** The pipeline that a hybrid search was sent with, whose only phase results processor fuses. */
const Pipeline = v.looseObject({
  phase_results_processors: v.array(
    v.record(
      v.string(),
      v.looseObject({
        combination: v.looseObject({ parameters: v.optional(v.looseObject({ weights: v.array(v.number()) })) }),
      }),
    ),
  ),
});

const SearchAnswer = v.looseObject({
  search_response: v.looseObject({
    hits: v.looseObject({ hits: v.array(v.looseObject({ _id: v.string() })) }),
  }),
  degraded: v.optional(v.array(v.looseObject({ stage: v.string() })), []),
  stages: v.optional(
    v.array(
      v.looseObject({ usage: v.optional(v.object({ calls: v.number(), units: v.number(), cached: v.number() })) }),
    ),
    [],
  ),
  settings: v.optional(v.object({ normalization: v.string(), combination: v.string() })),
  search_request_template: v.optional(v.looseObject({ search_pipeline: v.optional(Pipeline) })),
  rules: v.optional(v.array(v.looseObject({ name: v.string() })), []),
});

/** Reads what one search found. A document that two indexes have counts once. Throws Failure. */
export function readRun({ body, milliseconds }: GatewayAnswer): Run {
  const answer = v.safeParse(SearchAnswer, body);
  if (!answer.success) throw new Failure(`The gateway's answer is not one of a search: ${v.summarize(answer.issues)}`);
  const { search_response, degraded, stages, settings, search_request_template, rules } = answer.output;
  // Settings are echoed as the request has them: the weights of the index are in the pipeline alone.
  const [fusion] = Object.values(search_request_template?.search_pipeline?.phase_results_processors[0] ?? {});
  const usage = stages.find((stage) => stage.usage)?.usage;
  return {
    ranking: [...new Set(search_response.hits.hits.map(({ _id }) => _id))],
    milliseconds,
    degraded: degraded.map(({ stage }) => stage),
    ...(usage && { usage }),
    ...(settings && { fusedBy: { weights: fusion?.combination.parameters?.weights ?? null, ...settings } }),
    told: rules.flatMap(({ name: _, ...told }) => (Object.keys(told).length > 0 ? [told] : [])),
  };
}
