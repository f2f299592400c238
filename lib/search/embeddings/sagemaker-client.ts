import type { SageMakerRuntimeClient, SageMakerRuntimeClientConfig } from "@aws-sdk/client-sagemaker-runtime";
import { withTimeout } from "../../core/resilience/deadline.ts";
import { once } from "../../core/resilience/once.ts";
import { ModelCallTimeout, type ModelClient } from "./model-client.ts";

/** Milliseconds to open a connection. A call that runs into this limit sent nothing, so it is retried. */
const CONNECTION_TIMEOUT_MS = 2_000;

/**
 * Returns a client that invokes SageMaker endpoints. The first call, or `load`, loads the SDK, which takes about 80 ms.
 * The SDK does not retry by itself: the embedder retries within the request's deadline. Connections are kept open.
 */
export function sageMakerClient(config: SageMakerRuntimeClientConfig = {}): ModelClient {
  const sdk = () => import("@aws-sdk/client-sagemaker-runtime");
  const client = once(async (): Promise<SageMakerRuntimeClient> => {
    const { SageMakerRuntimeClient } = await sdk();
    return new SageMakerRuntimeClient({
      requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS, httpAgent: { keepAlive: true } },
      ...config,
      maxAttempts: 1,
    });
  });

  return {
    async load() {
      await client();
    },
    invoke: (endpointName, body, timeoutMs) =>
      withTimeout(
        timeoutMs,
        async (abortSignal) => {
          const [{ InvokeEndpointCommand }, runtime] = await Promise.all([sdk(), client()]);
          const answer = await runtime.send(
            new InvokeEndpointCommand({
              EndpointName: endpointName,
              ContentType: "application/json",
              Accept: "application/json",
              Body: body,
            }),
            { abortSignal },
          );
          return answer.Body ?? new Uint8Array();
        },
        () => new ModelCallTimeout(timeoutMs),
      ),
  };
}
