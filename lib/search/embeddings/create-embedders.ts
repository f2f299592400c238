import { MODELS, type ModelName } from "../../config/embedding-models.ts";
import type { EmbeddingCache } from "./cache.ts";
import { cohereModel } from "./cohere.ts";
import { type Embedder, EmbeddingError, type EmbeddingOutcome } from "./embedder.ts";
import { type HostedEmbedderOptions, hostedEmbedder } from "./hosted-embedder.ts";
import type { ModelClient } from "./model-client.ts";
import { createSlots } from "./slots.ts";
import type { SparseModel, SparseModelLoader } from "./sparse-model.ts";
import { sparseQuery } from "./sparse-query.ts";
import { PRUNE_RATIO } from "./sparse-vector.ts";
import { denseEndpoint, sparseEndpoint } from "./text-embeddings-inference.ts";

/** Parallel calls of one process to a self-hosted model: enough to keep an endpoint of one or two instances busy. */
const PARALLEL_CALLS = 4;

interface CommonSettings {
  /** Revision of the model as configured: part of the cache key. */
  revision: string;
  /** Milliseconds that one attempt for a query may take; 3,000 by default. */
  queryTimeoutMs?: number;
}

/** A dense model on a SageMaker endpoint. */
export interface DenseEndpointSettings extends CommonSettings {
  model: "dense_large_en_v1_5";
  endpointName: string;
  /** The model's own by default; another one with a server of the user's choice in the local stack. */
  dimension?: number;
  parallelCalls?: number;
}

/** The sparse model on a SageMaker endpoint. */
export interface SparseEndpointSettings extends CommonSettings {
  model: "sparse_v3";
  endpointName: string;
  /** 0.1 by default; 0 keeps every token. */
  pruneRatio?: number;
  parallelCalls?: number;
}

/** A Cohere model on Bedrock. */
export interface BedrockModelSettings extends CommonSettings {
  model: "ext_embed_english_v3" | "ext_embed_multilingual_v3";
  /** The model's own by default. */
  modelId?: string;
  dimension?: number;
  /** Simultaneous calls of one function instance, queries and documents together (conf/model.yaml). */
  queryConcurrency: number;
}

export type EmbedderSettings = DenseEndpointSettings | SparseEndpointSettings | BedrockModelSettings;

/** What embedders work with. Nothing here is opened, read or loaded before a model that needs it is first used. */
export interface EmbedderClients {
  sagemaker: ModelClient;
  bedrock: ModelClient;
  sparseModel: SparseModelLoader;
  cache: EmbeddingCache;
  /** Replaced in tests so that nothing sleeps between attempts. */
  wait?: (ms: number) => Promise<unknown>;
}

/** One embedder for each configured model. Make it once a process: bounds and cache are the embedders'. */
export function createEmbedders(
  settings: readonly EmbedderSettings[],
  clients: EmbedderClients,
): ReadonlyMap<ModelName, Embedder> {
  return new Map(settings.map((one) => [one.model, cached(createEmbedder(one, clients), one.revision, clients.cache)]));
}

function createEmbedder(settings: EmbedderSettings, clients: EmbedderClients): Embedder {
  const options = (parallelCalls: number): HostedEmbedderOptions => ({
    slots: createSlots(parallelCalls),
    ...(settings.queryTimeoutMs !== undefined && { queryTimeoutMs: settings.queryTimeoutMs }),
    ...(clients.wait && { wait: clients.wait }),
  });
  switch (settings.model) {
    case "sparse_v3":
      return sparseEmbedder(settings, clients, options(settings.parallelCalls ?? PARALLEL_CALLS));
    case "dense_large_en_v1_5": {
      const { model, endpointName, dimension = MODELS[model].dimension, parallelCalls = PARALLEL_CALLS } = settings;
      const client = clients.sagemaker;
      return hostedEmbedder(denseEndpoint({ model, client, endpointName, dimension }), options(parallelCalls));
    }
    default: {
      const { model, modelId = MODELS[model].source, dimension = MODELS[model].dimension } = settings;
      const hosted = cohereModel({ model, client: clients.bedrock, modelId, dimension });
      return hostedEmbedder(hosted, options(settings.queryConcurrency));
    }
  }
}

/** Documents by the endpoint, queries by tokenizer and weight table; both need the model files. */
function sparseEmbedder(
  { model, endpointName, pruneRatio = PRUNE_RATIO }: SparseEndpointSettings,
  { sagemaker: client, sparseModel }: EmbedderClients,
  options: HostedEmbedderOptions,
): Embedder {
  const hosted = ({ token, isSpecial }: SparseModel) =>
    hostedEmbedder(sparseEndpoint({ model, client, endpointName, rules: { token, isSpecial, pruneRatio } }), options);
  return {
    model,
    async embedDocuments(texts, deadline, limits) {
      let files: SparseModel;
      try {
        files = await sparseModel();
      } catch (error) {
        const outcome: EmbeddingOutcome = { kind: "error", error: withoutFiles(error) };
        return texts.map(() => outcome);
      }
      return hosted(files).embedDocuments(texts, deadline, limits);
    },
    async embedQuery(text) {
      try {
        return { kind: "sparse", tokens: sparseQuery(text, await sparseModel()) };
      } catch (error) {
        throw withoutFiles(error);
      }
    },
  };
}

/** Told without the folder: the cause, which is logged, has it. */
const withoutFiles = (cause: unknown) =>
  new EmbeddingError("model files (tokenizer and weight table) are missing or damaged in this deployment", {
    cause,
    retryable: false,
  });

function cached(embedder: Embedder, revision: string, cache: EmbeddingCache): Embedder {
  const { model } = embedder;
  return {
    ...embedder,
    embedQuery: (text, deadline) =>
      cache.get({ model, revision, input: "query", text }, deadline, () => embedder.embedQuery(text, deadline)),
  };
}
