import { rawNumber } from "../../../core/json/lossless.ts";
import type { HybridSettings } from "./request.ts";

/** How many candidates a leg gives, by what the cluster's version can do. */
export interface Depth {
  /** `pagination_depth` of the hybrid query; none below OpenSearch 2.19. */
  paginationDepth: number | undefined;
  sampleFactor: number;
}

/**
 * Scores are normalized over the candidates, so their number must not change with `from`, nor with `size` as long as
 * it is not larger than `candidates`: from 2.19 on a fixed depth is sent and nothing is oversampled; before, the
 * sample factor makes up the number of candidates (decisions 5.4).
 */
export function depthOf(size: number, candidates: number, maxResultWindow: number, pagination: boolean): Depth {
  if (pagination) {
    return { paginationDepth: Math.min(maxResultWindow, Math.max(candidates, size)), sampleFactor: 1 };
  }
  const factor = size === 0 ? 1 : Math.ceil((candidates / size) * 100) / 100;
  return { paginationDepth: undefined, sampleFactor: Math.max(1, factor) };
}

/** The search pipeline as JSON text, inline in the body and never stored in the cluster. */
export function pipelineJson(
  settings: Pick<HybridSettings, "normalization" | "combination">,
  weights: readonly number[] | null,
  sampleFactor: number,
): string {
  const processor = {
    "normalization-processor": {
      normalization: { technique: settings.normalization },
      combination: { technique: settings.combination, ...(weights && { parameters: { weights: weights.map(float) } }) },
    },
  };
  return (
    `{"request_processors":[{"oversample":${JSON.stringify({ sample_factor: float(sampleFactor) })}}],` +
    `"response_processors":[{"truncate_hits":{}}],` +
    `"phase_results_processors":[${JSON.stringify(processor)}]}`
  );
}

/** The cluster fails (500) on a whole number where it wants a float: 1 has to be sent as 1.0. */
const float = (value: number): unknown => (Number.isInteger(value) ? rawNumber(value.toFixed(1)) : value);

/** Weights of the legs that are left, and what became of them. */
export interface LeftWeights {
  weights: number[] | null;
  change: "none" | "scaled" | "equal";
}

/** With a leg left out the remaining weights are scaled to sum 1; when they sum to 0 they become equal. */
export function leftWeights(weights: readonly number[] | null, kept: readonly number[]): LeftWeights {
  if (weights === null || kept.length === weights.length) return { weights: weights && [...weights], change: "none" };
  const left = kept.map((leg) => weights[leg] ?? 0);
  const sum = left.reduce((total, next) => total + next, 0);
  if (sum === 0) return { weights: left.map(() => 1 / left.length), change: "equal" };
  return { weights: left.map((weight) => weight / sum), change: "scaled" };
}
