import type { BedrockRuntimeClient, BedrockRuntimeClientConfig } from "@aws-sdk/client-bedrock-runtime";
import { once } from "../../core/resilience/once.ts";
import { withTimeout } from "../../core/resilience/timeout.ts";
import { ModelCallTimeout, type ModelClient } from "./model-client.ts";

/** Milliseconds to open a connection. Nothing was sent by then, so running into it is tried again. */
const CONNECTION_TIMEOUT_MS = 2_000;

/**
 * Bedrock models through `InvokeModel`. The SDK is loaded by the first call or by `load`; it never retries by itself
 * (decisions 3.4). HTTP/1.1 in place of the client's default: its HTTP/2 puts one request at a time on a connection
 * anyway, while HTTP/1.1 is spoken by every proxy, and cutting a call off ends that call's connection alone.
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
