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

/**
 * Runs `call` and aborts it after `timeoutMs`. The race covers what an abort signal alone would not: an SDK that is
 * still resolving credentials, or an answer whose headers came and whose body does not.
 */
export async function withTimeout<T>(timeoutMs: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // Rejected before the abort: aborting rejects `call` with the SDK's AbortError, which must not win the race.
      reject(new ModelCallTimeout(timeoutMs));
      abort.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([call(abort.signal), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
