import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { bedrockClient, sageMakerClient } from "@relevance/lib/search/embeddings/model-client.ts";
import { listen } from "@relevance/local-aws/cloud/listener.ts";
import { router, standInsByService } from "@relevance/local-aws/cloud/router.ts";
import type { StandIn } from "@relevance/local-aws/cloud/stand-in.ts";
import { createModelStandIns, type ModelStandInOptions } from "../stand-ins.ts";

/** Returns the settings that the SDKs need for a local endpoint. */
export const connection = (endpoint: string) => ({
  endpoint,
  region: "eu-west-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
});

/** Serves stand-ins behind the real front of the local cloud, without moto. */
export function serveStandIns(...standIns: StandIn[]) {
  return listen(undefined, router({ standIns: standInsByService(standIns) }));
}

/** Starts the stand-in models behind HTTP, with the project's clients for them. */
export async function startModels(options: Partial<ModelStandInOptions> = {}) {
  const models = await createModelStandIns({
    modelOfEndpoint: (name) => {
      if (name === "shop-dense-large-en-v1-5") return "dense_large_en_v1_5";
      return name === "shop-sparse-v3" ? "sparse_v3" : undefined;
    },
    ...options,
  });
  const front = await serveStandIns(models);
  return {
    ...models,
    url: front.url,
    sagemaker: sageMakerClient(connection(front.url)),
    bedrock: bedrockClient(connection(front.url)),
    close: () => front.close(),
  };
}

/** Starts a server that answers each request by a function, for behaviour that stand-ins do not have. */
export async function startServer(
  answer: (request: { method: string; path: string; body: string }) => {
    status?: number;
    headers?: Record<string, string>;
    body?: string;
    /** Ends the connection without an answer. */
    drop?: boolean;
    /** Sends head and body, but never ends the response. */
    unfinished?: boolean;
  },
) {
  const requests: { method: string; path: string; body: string }[] = [];
  const connections = new Set<unknown>();
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    connections.add(incoming.socket);
    const request = {
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      body: Buffer.concat(chunks).toString("utf8"),
    };
    requests.push(request);
    const { status = 200, headers = {}, body = "", drop, unfinished } = answer(request);
    if (drop) return void incoming.socket.destroy();
    response.writeHead(status, headers);
    if (unfinished) return void response.write(body);
    response.end(body);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
