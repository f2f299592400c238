import type { BedrockRuntimeClient, BedrockRuntimeClientConfig } from "@aws-sdk/client-bedrock-runtime";
import { withTimeout } from "../../core/resilience/deadline.ts";
import { once } from "../../core/resilience/once.ts";
import { ModelCallTimeout, type ModelClient } from "./model-client.ts";

/** Milliseconds to open a connection. A call that runs into this limit sent nothing, so it is retried. */
const CONNECTION_TIMEOUT_MS = 2_000;

/**
 * Returns a client that invokes Bedrock models. The first call, or `load`, loads the SDK, which does not retry by itself:
 * the embedder retries within the request's deadline. It uses HTTP/1.1 instead of the SDK's default. With HTTP/2 the SDK
 * sends one request at a time on a connection anyway, every proxy speaks HTTP/1.1, and aborting a call closes the
 * connection of that call alone.
 */
export function bedrockClient(config: BedrockRuntimeClientConfig = {}): ModelClient {
  const sdk = () => import("@aws-sdk/client-bedrock-runtime");
  const client = once(async (): Promise<BedrockRuntimeClient> => {
    const [{ BedrockRuntimeClient }, { NodeHttpHandler }] = await Promise.all([
      sdk(),
      import("@smithy/node-http-handler"),
    ]);
    return new BedrockRuntimeClient({
      requestHandler: new NodeHttpHandler({ connectionTimeout: CONNECTION_TIMEOUT_MS }),
      ...config,
      maxAttempts: 1,
    });
  });

  return {
    async load() {
      await client();
    },
    invoke: (modelId, body, timeoutMs) =>
      withTimeout(
        timeoutMs,
        async (abortSignal) => {
          const [{ InvokeModelCommand }, runtime] = await Promise.all([sdk(), client()]);
          const answer = await runtime.send(
            new InvokeModelCommand({ modelId, contentType: "application/json", accept: "application/json", body }),
            { abortSignal },
          );
          return answer.body;
        },
        () => new ModelCallTimeout(timeoutMs),
      ),
  };
}
