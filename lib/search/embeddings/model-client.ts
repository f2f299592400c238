/** What an embedding model is asked for: the two sides are embedded differently by every model here. */
export type InputType = "document" | "query";

/** Invokes hosted models: a SageMaker endpoint by its name, or a Bedrock model by its id. */
export interface ModelClient {
  /**
   * Sends one JSON body and gives the whole answer. Rejects with `ModelCallTimeout` when it is not there within
   * `timeoutMs`, else with the SDK's own error; never tries again by itself.
   */
  invoke(target: string, body: string, timeoutMs: number): Promise<Uint8Array>;

  /** Loads the SDK ahead of the first call (a function under provisioned concurrency has the time at its start). */
  load(): Promise<void>;
}

/** A model call that was cut off by us. */
export class ModelCallTimeout extends Error {
  override name = "ModelCallTimeout";
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`model endpoint timed out after ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}
