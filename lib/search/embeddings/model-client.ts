import type { BedrockRuntimeClientConfig } from "@aws-sdk/client-bedrock-runtime";
import type { SageMakerRuntimeClientConfig } from "@aws-sdk/client-sagemaker-runtime";
import { withTimeout } from "../../platform/resilience/deadline.ts";
import { lazyClient } from "../../platform/resilience/once.ts";

/** Role of an embedded text. Every model here embeds documents and queries differently. */
export type InputType = "document" | "query";

/** Invokes hosted models: a SageMaker endpoint by its name, or a Bedrock model by its id. */
export interface ModelClient {
  /**
   * Sends one JSON body and returns the whole answer. Rejects with `ModelCallTimeout` after `timeoutMs`, otherwise with
   * the SDK's own error. Does not retry.
   */
  invoke(target: string, body: string, timeoutMs: number): Promise<Uint8Array>;

  /** Loads the SDK before the first call. With provisioned concurrency, this happens at start. */
  load(): Promise<void>;
}

/** Error for a model call that reached its timeout. */
export class ModelCallTimeout extends Error {
  override name = "ModelCallTimeout";
  readonly timeoutMs: number;
  /** Whether the request had less time left than a full timeout. */
  wasShort = false;

  constructor(timeoutMs: number) {
    super(`model endpoint timed out after ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** Milliseconds to open a connection. A call that runs into this limit sent nothing, so it is retried. */
const CONNECTION_TIMEOUT_MS = 2_000;

const JSON_TYPE = "application/json";

/**
 * Returns a client that invokes SageMaker endpoints. The first call, or `load`, loads the SDK, which takes about 80 ms.
 * The SDK does not retry by itself: the embedder retries within the request's deadline. Connections are kept open.
 */
export function sageMakerClient(config: SageMakerRuntimeClientConfig = {}): ModelClient {
  const client = lazyClient(
    () => import("@aws-sdk/client-sagemaker-runtime"),
    ({ SageMakerRuntimeClient }) =>
      new SageMakerRuntimeClient({
        requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS, httpAgent: { keepAlive: true } },
        ...config,
        maxAttempts: 1,
      }),
  );
  return modelClient(client, async ([{ InvokeEndpointCommand }, runtime], EndpointName, Body, abortSignal) => {
    const command = new InvokeEndpointCommand({ EndpointName, ContentType: JSON_TYPE, Accept: JSON_TYPE, Body });
    return (await runtime.send(command, { abortSignal })).Body ?? new Uint8Array();
  });
}

/**
 * Returns a client that invokes Bedrock models. The first call, or `load`, loads the SDK, which does not retry by itself.
 * It uses HTTP/1.1 instead of the SDK's default. With HTTP/2 the SDK sends one request at a time on a connection anyway,
 * every proxy speaks HTTP/1.1, and aborting a call closes the connection of that call alone.
 */
export function bedrockClient(config: BedrockRuntimeClientConfig = {}): ModelClient {
  const client = lazyClient(
    () => Promise.all([import("@aws-sdk/client-bedrock-runtime"), import("@smithy/node-http-handler")]),
    ([{ BedrockRuntimeClient }, { NodeHttpHandler }]) =>
      new BedrockRuntimeClient({
        requestHandler: new NodeHttpHandler({ connectionTimeout: CONNECTION_TIMEOUT_MS }),
        ...config,
        maxAttempts: 1,
      }),
  );
  return modelClient(client, async ([[{ InvokeModelCommand }], runtime], modelId, body, abortSignal) => {
    const command = new InvokeModelCommand({ modelId, contentType: JSON_TYPE, accept: JSON_TYPE, body });
    return (await runtime.send(command, { abortSignal })).body;
  });
}

function modelClient<Opened>(
  open: () => Promise<Opened>,
  send: (opened: Opened, target: string, body: string, signal: AbortSignal) => Promise<Uint8Array>,
): ModelClient {
  return {
    async load() {
      await open();
    },
    invoke: (target, body, timeoutMs) =>
      withTimeout(
        timeoutMs,
        async (signal) => send(await open(), target, body, signal),
        () => new ModelCallTimeout(timeoutMs),
      ),
  };
}
