import { MODELS, type ModelName } from "../../lib/config/embedding-models.ts";
import { bedrockClient } from "../../lib/search/embeddings/bedrock-client.ts";
import { createEmbeddingCache } from "../../lib/search/embeddings/cache.ts";
import { createEmbedders, type EmbedderSettings } from "../../lib/search/embeddings/create-embedders.ts";
import type { Embedder } from "../../lib/search/embeddings/embedder.ts";
import { sageMakerClient } from "../../lib/search/embeddings/sagemaker-client.ts";
import { sparseModelIn } from "../../lib/search/embeddings/sparse-model.ts";
import type { GatewaySettings } from "../../lib/search/gateway/settings.ts";

/** The embedders of all configured models over the AWS clients, which their first calls load. */
export function openEmbedders(settings: GatewaySettings, folder: string): OpenEmbedders {
  const sagemaker = sageMakerClient();
  const bedrock = bedrockClient();
  const sparseModel = sparseModelIn(folder);
  const cache = createEmbeddingCache();
  const hosts = new Set(settings.models.map(({ name }) => MODELS[name].host));
  const sparse = settings.models.some(({ name }) => MODELS[name].kind === "sparse");
  return {
    embedders: createEmbedders(settings.models.map(embedderSettings), { sagemaker, bedrock, sparseModel, cache }),
    async load() {
      await Promise.all([
        hosts.has("sagemaker") && sagemaker.load(),
        hosts.has("bedrock") && bedrock.load(),
        sparse && sparseModel(),
      ]);
    },
  };
}

export interface OpenEmbedders {
  embedders: ReadonlyMap<ModelName, Embedder>;
  /** Loads what first calls would: the SDK of each host, the files of the sparse model. */
  load(): Promise<void>;
}

function embedderSettings(model: GatewaySettings["models"][number]): EmbedderSettings {
  const { name, revision, concurrency, dimension } = model;
  switch (name) {
    case "dense_large_en_v1_5":
      return {
        model: name,
        revision,
        endpointName: required(model, "endpoint_name"),
        parallelCalls: concurrency,
        ...(dimension !== undefined && { dimension }),
      };
    case "sparse_v3":
      return {
        model: name,
        revision,
        endpointName: required(model, "endpoint_name"),
        parallelCalls: concurrency,
        ...(model.prune_ratio !== undefined && { pruneRatio: model.prune_ratio }),
      };
    default:
      return {
        model: name,
        revision,
        modelId: required(model, "model_id"),
        queryConcurrency: concurrency,
        ...(dimension !== undefined && { dimension }),
      };
  }
}

function required(model: GatewaySettings["models"][number], field: "endpoint_name" | "model_id"): string {
  const value = model[field];
  if (value === undefined) throw new Error(`config.json: model ${model.name} has no ${field}`);
  return value;
}
