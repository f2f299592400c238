/** What is embedded. Every model here embeds documents and queries differently. */
export type InputType = "document" | "query";

/** Invokes hosted models: a SageMaker endpoint by its name, or a Bedrock model by its id. */
export interface ModelClient {
  /**
   * Sends one JSON body and returns the whole answer. Rejects with `ModelCallTimeout` after `timeoutMs`, otherwise with
   * the SDK's own error. Does not retry.
   */
  invoke(target: string, body: string, timeoutMs: number): Promise<Uint8Array>;

  /** Loads the SDK before the first call: with provisioned concurrency there is time for it at start. */
  load(): Promise<void>;
}

/** Error for a model call that reached its timeout. */
export class ModelCallTimeout extends Error {
  override name = "ModelCallTimeout";
  readonly timeoutMs: number;
  /** Whether the request had less time left than the model may take. */
  wasShort = false;

  constructor(timeoutMs: number) {
    super(`model endpoint timed out after ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}
