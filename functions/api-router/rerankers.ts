import { bedrockClient, sageMakerClient } from "../../lib/search/embeddings/model-client.ts";
import type { GatewaySettings } from "../../lib/search/gateway/settings.ts";
import { createReranker } from "../../lib/search/rerank/create-reranker.ts";
import type { Reranker } from "../../lib/search/rerank/reranker.ts";
import { RERANKER, rerankersOf } from "../../lib/settings/rerank-models.ts";
import { tellPause } from "./tell-pause.ts";

export interface OpenRerankers {
  rerankers: ReadonlyMap<string, Reranker>;
  /** Loads in advance the SDK that the first call needs. */
  load(): Promise<void>;
}

/** Returns the rerankers of all entries. Their first calls load the AWS clients. */
export function openRerankers(settings: GatewaySettings, print: (line: string) => void): OpenRerankers {
  const models = rerankersOf(settings.indexes);
  const clients = models.map((model) => {
    const isEndpoint = model === RERANKER;
    const target = isEndpoint ? (settings.reranker_endpoint ?? "") : model;
    return { model, target, client: isEndpoint ? sageMakerClient() : bedrockClient() };
  });
  return {
    rerankers: new Map(
      clients.map(({ model, ...one }) => [
        model,
        createReranker({
          ...one,
          model,
          onPause: (reason) => tellPause({ project: settings.project, model, input: "query", reason }, print),
        }),
      ]),
    ),
    async load() {
      await Promise.all(clients.map(({ client }) => client.load()));
    },
  };
}
