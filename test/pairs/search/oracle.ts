import type { DenseModel, PairModels } from "../models.ts";
import {
  DEFAULT_PIPELINES,
  featuresOf,
  type Native,
  plainQuery,
  processorsOf,
  type Subquery,
  subqueriesOf,
  type Vectors,
} from "./body.ts";
import { isBefore } from "./differences.ts";
import type { SearchRow } from "./dimensions.ts";
import { filtered, nearFilter } from "./filter.ts";
import { partsKnn, searchedParts } from "./passages.ts";
import { SECOND, settingsOf, VARIANTS } from "./request.ts";
import { ruled, ruledFilter, searchedText, textOf } from "./rules.ts";
import { expanded } from "./synonyms.ts";
import { storedTokens, storedVector, type World } from "./world.ts";

/** The request that a person would send straight to the cluster for a case, and what it leaves out. */
export interface NativeRequest {
  /** The expression that names the indexes, as a path has it. */
  index: string;
  body: Native;
  pipeline: Native;
  /** The fields whose subqueries are left out. */
  leftOut: readonly string[];
  /** Whether hits show their best passages, or the answer tells why they do not. */
  passages: "none" | "shown" | "told";
  /** Candidates of each subquery on each shard; undefined for a search that is not hybrid. */
  candidates: number | undefined;
}

/** The embeddings of a text in the models of the indexes that are searched. */
export function vectorsOf(
  row: SearchRow,
  models: PairModels,
  { text, model, version, isSent = false }: { text: string; model: DenseModel; version: string; isSent?: boolean },
): Vectors {
  const tokens = storedTokens(row, models.sparse(text), models);
  return {
    knn: (field, k, filter) => {
      const vector = storedVector(row, models.dense(text, field === "title_dense" ? "english" : model));
      const ofParts = field === "text_dense" && searchedParts(row) === "all";
      // Rules do not look into a query of passages that the caller writes.
      const isRuled = !isSent && !(ofParts && row.entry === "none");
      const near = isRuled ? nearFilter(filter, row) : filter;
      const clause = { vector, k, ...(near && { filter: isRuled ? ruledFilter(near, row) : near }) };
      if (!ofParts) return { knn: { [field]: clause } };
      return partsKnn(field, clause, version);
    },
    clauses: [{ neural_sparse: { text_sparse: { query_tokens: tokens } } }],
    tokens,
  };
}

/** What an answer tells of how its search was made. */
export interface Made {
  /** The variant of the experiment. */
  variant?: string | undefined;
  explains: boolean;
  /** Whether the hits are those of another text than the one that found nothing. */
  isCorrected?: boolean | undefined;
}

/** Returns the native request of a case, made as its answer tells. */
export function nativeRequest(
  row: SearchRow,
  world: World,
  models: PairModels,
  { variant, explains, isCorrected, version }: Made & { version: string },
): NativeRequest {
  const text = searchedText(row, isCorrected);
  const [model] = world.models;
  const isOneModel = model !== undefined && world.models.every((other) => other === model);
  // Vectors that the caller sends stay as they are.
  const embedded = world.entry ? text : textOf(row);
  const vectors = vectorsOf(row, models, { text: embedded, model: model ?? "large", version });
  const fails = (field: string | undefined): boolean =>
    world.entry !== undefined &&
    field?.endsWith("_dense") === true &&
    (row.model === "down" || (field === "text_dense" && (!isOneModel || searchedParts(row) === "some")));
  const all = subqueriesOf(row, text, vectors);
  if (variant === "steep" && row.experiment === "templates") all[0] = { query: SECOND };
  const kept = all.filter(({ field }) => !fails(field));
  const isPlain = row.queries === "plain";
  const candidates = isPlain ? undefined : (world.entry?.candidates ?? 100);
  const features = featuresOf(row);
  if (!isPlain && isBefore(version, "3.6.0")) delete features.profile;
  const made = (query: object) => ruled(filtered(expanded(query, row), row), row);
  const query = isPlain
    ? made(plainQuery(row, text))
    : { hybrid: { queries: kept.map(({ query }) => made(query)), pagination_depth: candidates } };
  const isMarked =
    !isPlain && world.entry !== undefined && row.highlight === "passages" && searchedParts(row) === "all";
  const embeddings = (world.entry?.embedding_mappings ?? []).map(({ embedding_field }) => embedding_field);
  const hidden =
    !isPlain && embeddings.length > 0 && features._source === undefined && features.stored_fields === undefined;
  return {
    index: encodeURIComponent(world.expression),
    body: {
      size: row.page === "size-0" ? 0 : 500,
      query,
      ...features,
      ...(hidden && { _source: { excludes: embeddings } }),
    },
    pipeline: pipelineOf(row, world, { all, kept, variant, explains }),
    leftOut: [...new Set(all.flatMap(({ field }) => (field !== undefined && fails(field) ? [field] : [])))],
    passages: !isMarked || row.way === "raw" ? "none" : fails("text_dense") ? "told" : "shown",
    candidates,
  };
}

interface Fused {
  all: readonly Subquery[];
  kept: readonly Subquery[];
  variant: string | undefined;
  explains: boolean;
}

/** Returns the pipeline of a hybrid query: the settings of the request or the variant win over those of the entry. */
function pipelineOf(row: SearchRow, world: World, { all, kept, variant, explains }: Fused): Native {
  const own = processorsOf(row);
  // The default of the index runs unless the request has a pipeline. A hybrid query needs one: it gets both.
  if (row.queries === "plain") return own.length === 0 ? {} : { response_processors: own };
  const { request_processors, response_processors = [] } = DEFAULT_PIPELINES[row.default_pipeline];
  const tried = VARIANTS.find(({ name }) => name === variant);
  const asked: Native = (tried && row.experiment !== "templates" ? tried.settings : settingsOf(row)) ?? {};
  const configured: Native = world.entry?.settings ?? {};
  const normalization = asked.normalization ?? configured.normalization ?? "min_max";
  const combination = asked.combination ?? configured.combination ?? "arithmetic_mean";
  const isOther =
    (asked.normalization ?? configured.normalization) !== configured.normalization ||
    (asked.combination ?? configured.combination) !== configured.combination;
  const configuredWeights = configured.weights as readonly number[] | undefined;
  const weights =
    (asked.weights as readonly number[] | undefined) ??
    (!isOther && configuredWeights?.length === all.length ? configuredWeights : undefined);
  const left = weights && all.flatMap((one, at) => (kept.includes(one) ? [weights[at] ?? 0] : []));
  const sum = left?.reduce((total, weight) => total + weight, 0) ?? 1;
  const parameters = left ? { parameters: { weights: left.map((weight) => weight / sum) } } : {};
  const processor =
    combination === "rrf"
      ? { "score-ranker-processor": { combination: { technique: "rrf", rank_constant: 60, ...parameters } } }
      : {
          "normalization-processor": {
            normalization: { technique: normalization },
            combination: { technique: combination, ...parameters },
          },
        };
  const explained = explains && row.explain === "yes" ? [{ hybrid_score_explanation: {} }] : [];
  const response = [...explained, ...response_processors, ...own];
  return {
    ...(request_processors && { request_processors }),
    phase_results_processors: [processor],
    ...(response.length > 0 && { response_processors: response }),
  };
}
