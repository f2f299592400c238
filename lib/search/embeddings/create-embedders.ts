import type { ModelName } from "../../settings/embedding-models.ts";
import { bedrockProtocol } from "./bedrock-models.ts";
import { createBreaker } from "./breaker.ts";
import type { EmbeddingCache } from "./cache.ts";
import { describedModel } from "./described-model.ts";
import {
  type Embedder,
  type EmbedderName,
  EmbeddingError,
  type EmbeddingOutcome,
  embedderName,
  type ModelSettings,
  vectorsBySettings,
} from "./embedder.ts";
import { judge } from "./failure.ts";
import { hostedEmbedder } from "./hosted-embedder.ts";
import type { HostedEmbedderOptions, HostedModel } from "./model-calls.ts";
import type { InputType, ModelClient } from "./model-client.ts";
import { createPace } from "./pace.ts";
import { createSemaphore } from "./semaphore.ts";
import type { SparseModel, SparseModelLoader } from "./sparse-model.ts";
import { sparseQuery } from "./sparse-vector.ts";
import { denseEndpoint, sparseEndpoint } from "./text-embeddings-inference.ts";

type SparseSettings = Extract<ModelSettings, { name: "sparse_v3" }>;

/** Clients and options of embedders. Nothing is opened, read or loaded before a model that needs it is first used. */
export interface EmbedderClients {
  sagemaker: ModelClient;
  bedrock: ModelClient;
  sparseModel: SparseModelLoader;
  cache: EmbeddingCache;
  /** Milliseconds that one attempt for a query may take; 3,000 by default. */
  queryTimeoutMs?: number;
  /** Called when the breaker pauses a model because its last calls failed. */
  onPause?: (model: ModelName, input: InputType, reason: string) => void;
  /** Replaced in tests so that nothing sleeps between attempts. */
  wait?: (ms: number) => Promise<unknown>;
}

/**
 * Returns an embedder for each model. Call it once per process: the embedders share concurrency limits and the cache.
 */
export function createEmbedders(
  models: readonly ModelSettings[],
  clients: EmbedderClients,
): ReadonlyMap<EmbedderName, Embedder> {
  return new Map(
    models.map((one) => [
      embedderName(one),
      cached(createEmbedder(one, clients), vectorsBySettings(one), clients.cache),
    ]),
  );
}

/**
 * Queries and documents share neither concurrency limits nor breaker: queries still reach a model that an import slows
 * down.
 */
function createEmbedder(settings: ModelSettings, clients: EmbedderClients): Embedder {
  const { wait, sagemaker, bedrock, onPause } = clients;
  const { query_timeout_ms: queryTimeoutMs = clients.queryTimeoutMs, document_timeout_ms: documentTimeoutMs } =
    settings;
  const { concurrency, document_concurrency = concurrency } = settings;
  const options = (input: InputType): HostedEmbedderOptions => ({
    semaphore: createSemaphore(input === "query" ? concurrency : document_concurrency),
    pace: createPace(),
    breaker: createBreaker({ judge, onPause: (reason) => onPause?.(settings.name, input, reason) }),
    ...(queryTimeoutMs !== undefined && { queryTimeoutMs }),
    ...(documentTimeoutMs !== undefined && { documentTimeoutMs }),
    ...(wait && { wait }),
  });
  const apart = (hosted: (input: InputType) => HostedModel): Embedder => ({
    ...hostedEmbedder(hosted("document"), options("document")),
    embedQuery: hostedEmbedder(hosted("query"), options("query")).embedQuery,
  });
  switch (settings.name) {
    case "sparse_v3":
      return sparseEmbedder(settings, clients, options("document"));
    case "dense_large_en_v1_5": {
      const { name: model, endpoint_name: query, document_endpoint_name: document = query, dimension } = settings;
      const prefixes = { query: settings.query_prefix, document: settings.passage_prefix };
      const endpoints = { query, document };
      const { protocol } = settings;
      if (protocol) {
        const described = { model, client: sagemaker, dimension, protocol, prefixes };
        return apart((input) => describedModel({ ...described, target: endpoints[input] }));
      }
      return apart((input) =>
        denseEndpoint({ model, client: sagemaker, endpointName: endpoints[input], dimension, prefixes }),
      );
    }
    default: {
      const { name: model, model_id: target, dimension, protocol = bedrockProtocol(target, dimension) } = settings;
      const prefixes = { query: settings.query_prefix ?? "", document: settings.passage_prefix ?? "" };
      return apart(() => describedModel({ model, client: bedrock, target, dimension, protocol, prefixes }));
    }
  }
}

/** Embeds documents by the endpoint, queries by tokenizer and weight table. Both need the model files. */
function sparseEmbedder(
  { name: model, endpoint_name: endpointName, prune_ratio: pruneRatio }: SparseSettings,
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
    async byId(tokens) {
      const { id } = await sparseModel();
      return Object.fromEntries(
        Object.entries(tokens).flatMap(([token, weight]) => {
          const known = id(token);
          return known === undefined ? [] : [[known, weight]];
        }),
      );
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

/** Does not name the folder, because callers see the message. The cause, which is logged, has it. */
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
