import { createEmbeddingCache } from "../../lib/search/embeddings/cache.ts";
import { createEmbedders } from "../../lib/search/embeddings/create-embedders.ts";
import type { Embedder, EmbedderName } from "../../lib/search/embeddings/embedder.ts";
import { bedrockClient, type InputType, sageMakerClient } from "../../lib/search/embeddings/model-client.ts";
import { sparseModelIn } from "../../lib/search/embeddings/sparse-model.ts";
import type { GatewaySettings } from "../../lib/search/gateway/settings.ts";
import { MODELS, type ModelName } from "../../lib/settings/embedding-models.ts";
import { tellPause } from "./tell-pause.ts";

/** Returns the embedders of all configured models. Their first calls load the AWS clients. */
export function openEmbedders(settings: GatewaySettings, folder: string, print: (line: string) => void): OpenEmbedders {
  const sagemaker = sageMakerClient();
  const bedrock = bedrockClient();
  const sparseModel = sparseModelIn(folder);
  const cache = createEmbeddingCache();
  const hosts = new Set(settings.models.map(({ name }) => MODELS[name].host));
  const onPause = (model: ModelName, input: InputType, reason: string) =>
    tellPause({ project: settings.project, model, input, reason }, print);
  const sparse = settings.models.some(({ name }) => MODELS[name].kind === "sparse");
  return {
    embedders: createEmbedders(settings.models, { sagemaker, bedrock, sparseModel, cache, onPause }),
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
  embedders: ReadonlyMap<EmbedderName, Embedder>;
  /** Loads in advance what the first calls need: the SDK of each host, and the files of the sparse model. */
  load(): Promise<void>;
}
