import { bedrockClient } from "../../lib/embeddings/bedrock-client.ts";
import { createEmbeddingCache } from "../../lib/embeddings/cache.ts";
import { createEmbedders, type EmbedderSettings } from "../../lib/embeddings/create-embedders.ts";
import type { Embedder } from "../../lib/embeddings/embedder.ts";
import type { ModelName } from "../../lib/embeddings/models.ts";
import { sageMakerClient } from "../../lib/embeddings/sagemaker-client.ts";
import { sparseModelIn } from "../../lib/embeddings/sparse-model.ts";
import type { GatewaySettings } from "../../lib/gateway/settings.ts";

/** The embedders of all configured models over the AWS clients. */
export function openEmbedders(settings: GatewaySettings, folder: string): ReadonlyMap<ModelName, Embedder> {
  return createEmbedders(settings.models.map(embedderSettings), {
    sagemaker: sageMakerClient(),
    bedrock: bedrockClient(),
    sparseModel: sparseModelIn(folder),
    cache: createEmbeddingCache(),
  });
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
      return { model: name, revision, modelId: required(model, "model_id"), queryConcurrency: concurrency };
  }
}

function required(model: GatewaySettings["models"][number], field: "endpoint_name" | "model_id"): string {
  const value = model[field];
  if (value === undefined) throw new Error(`config.json: model ${model.name} has no ${field}`);
  return value;
}
