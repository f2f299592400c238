import { COMBINATION_FACTS, RANK_CONSTANT } from "../../../platform/contract/search.ts";
import { withMembers } from "../../../platform/json/slices.ts";
import { rawNumber } from "../../../platform/json/values.ts";
import { NO_PIPELINE, type SearchPipeline } from "../../opensearch/index-catalog.ts";
import { withoutPassages } from "./best-passages.ts";
import type { AppliedHybridSettings } from "./request.ts";
import { hasSource, queryWith, shownWith } from "./shown-documents.ts";
import type { Template } from "./template.ts";

interface BodyParts {
  queries: readonly unknown[];
  paginationDepth: number | undefined;
  /** JSON text. */
  pipeline: string;
  /** Fields excluded from `_source`, unless the template has its own. */
  embeddings: readonly string[];
  /** Fields with passages, whose highlights the gateway creates. */
  passages: ReadonlySet<string>;
  /** Whether to drop `profile`, because the cluster's version fails with it. */
  dropProfile: boolean;
}

/** Returns the native body: the caller's members byte for byte, plus the hybrid clause, the pipeline and the depth. */
export function hybridBody(template: Template, parts: BodyParts): string {
  const source = parts.embeddings.length > 0 ? { excludes: parts.embeddings } : undefined;
  const clause = { ...template.hybrid, queries: parts.queries };
  const hybrid = {
    ...(source ? queryWith(clause, source) : clause),
    ...(parts.paginationDepth !== undefined && { pagination_depth: parts.paginationDepth }),
  };
  const highlight = withoutPassages(template.native.highlight, parts.passages);
  return withMembers(template.text, {
    query: JSON.stringify({ hybrid }),
    search_pipeline: parts.pipeline,
    ...(source && hasSource(template.native) && { _source: JSON.stringify(source) }),
    ...(source && shownWith(template.native, source)),
    ...(highlight && { highlight: highlight.json }),
    ...(parts.dropProfile && template.native.profile === true && { profile: undefined }),
  });
}

/** How many candidates each subquery retrieves. */
interface Depth {
  /** `pagination_depth` of the hybrid query; none below OpenSearch 2.19. */
  paginationDepth: number | undefined;
  sampleFactor: number;
}

/**
 * Returns the number of candidates of each subquery. Scores are normalized over the candidates, so the number must not
 * change with `from`, nor with `size` up to `candidates`. From 2.19 on the depth is fixed without oversampling; before,
 * the sample factor gives the number of candidates.
 */
export function depthOf(size: number, candidates: number, maxResultWindow: number, pagination: boolean): Depth {
  if (pagination) {
    return { paginationDepth: Math.min(maxResultWindow, Math.max(candidates, size)), sampleFactor: 1 };
  }
  const factor = size === 0 ? 1 : Math.ceil((candidates / size) * 100) / 100;
  return { paginationDepth: undefined, sampleFactor: Math.max(1, factor) };
}

/** Inputs of a search pipeline other than the request's settings. */
interface PipelineParts {
  weights: readonly number[] | null;
  sampleFactor: number;
  /** Whether `_explanation` shows the computation of the fused score instead of the subqueries' own scores. */
  explain: boolean;
  /** The index's own pipeline, which the sent pipeline replaces. */
  own?: SearchPipeline;
  /** The caller's own processors. They run last, on the hits of the page. */
  responseProcessors: readonly unknown[];
}

/**
 * Fusing processors of the index's pipeline, which ours replace: the settings name a technique, and a list must not be
 * fused twice.
 */
const FUSING = ["normalization-processor", "score-ranker-processor"];

/**
 * Returns the search pipeline as JSON text. It is sent in the body, never stored in the cluster. Request processors of
 * the index's pipeline come before ours, and its response processors after ours, as if the request had been sent to
 * that pipeline.
 */
export function pipelineJson(
  settings: Pick<AppliedHybridSettings, "normalization" | "combination">,
  { weights, sampleFactor, explain, own = NO_PIPELINE, responseProcessors }: PipelineParts,
): string {
  // The prefix protects the size that an `oversample` of the index stores for its own `truncate_hits`.
  const context = own.request_processors.length > 0 ? { context_prefix: "relevance" } : {};
  const response = [
    ...(explain ? [{ hybrid_score_explanation: {} }] : []),
    { truncate_hits: context },
    ...own.response_processors,
    ...responseProcessors,
  ];
  const request = [...own.request_processors, { oversample: { sample_factor: float(sampleFactor), ...context } }];
  const kept = own.phase_results_processors.filter((one) => !FUSING.some((name) => Object.hasOwn(one, name)));
  const parameters = weights && { parameters: { weights: weights.map(float) } };
  return (
    `{"request_processors":${JSON.stringify(request)},` +
    `"response_processors":${JSON.stringify(response)},` +
    `"phase_results_processors":${JSON.stringify([...kept, fusionProcessor(settings, parameters)])}}`
  );
}

function fusionProcessor(
  { normalization, combination }: Pick<AppliedHybridSettings, "normalization" | "combination">,
  parameters: object | null,
): object {
  if (COMBINATION_FACTS[combination].of === "ranks") {
    const technique = { technique: combination, rank_constant: RANK_CONSTANT, ...parameters };
    return { "score-ranker-processor": { combination: technique } };
  }
  return {
    "normalization-processor": {
      normalization: { technique: normalization },
      combination: { technique: combination, ...parameters },
    },
  };
}

/** Returns a number that is printed as a float: the cluster fails (500) on `1` where it expects `1.0`. */
const float = (value: number): unknown => (Number.isInteger(value) ? rawNumber(value.toFixed(1)) : value);
