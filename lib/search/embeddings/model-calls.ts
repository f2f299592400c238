import { type Deadline, earlier, type RetryOptions, retry } from "../../platform/resilience/deadline.ts";
import type { ModelName } from "../../settings/embedding-models.ts";
import type { BatchLimits } from "./batches.ts";
import { type Breaker, createBreaker } from "./breaker.ts";
import { type EmbeddingOutcome, NoTimeLeftError } from "./embedder.ts";
import { judge } from "./failure.ts";
import { type InputType, ModelCallTimeout } from "./model-client.ts";
import { createPace, type Pace, SlowModelError, TooManyTextsError } from "./pace.ts";
import type { Semaphore } from "./semaphore.ts";

/** Request and answer format of one hosted model. Batches, retries and timeouts are those of `hostedEmbedder`. */
export interface HostedModel {
  model: ModelName;
  limits: BatchLimits;
  /** A text's JSON literal, cut to what the model takes. */
  json(text: string, input: InputType): string;
  /** The request body of some literals. */
  body(literals: readonly string[], input: InputType): string;
  invoke(body: string, timeoutMs: number): Promise<Uint8Array>;
  /** One outcome a text, in order. Throws ModelAnswerError when the answer as a whole cannot be used. */
  parse(answer: Uint8Array, count: number): EmbeddingOutcome[];
}

export interface HostedEmbedderOptions {
  semaphore: Semaphore;
  breaker?: Breaker;
  pace?: Pace;
  /** Timeout (ms) of one attempt for a query: a search continues without the embedding. */
  queryTimeoutMs?: number;
  /** Timeout (ms) of one attempt for documents. Default: the time left of the request. */
  documentTimeoutMs?: number;
  /** Replaced in tests so that nothing sleeps between attempts. */
  wait?: (ms: number) => Promise<unknown>;
}

/** Default timeout of a query. The model alone takes 50 to 300 ms; the rest is queueing behind documents. */
const QUERY_TIMEOUT_MS = 3_000;

/** Every timeout ends this long before the deadline, so that the failure can still be reported. */
const MARGIN_MS = 50;

/** SageMaker's limit for an answer. It is also within the range of Node's timers. */
const MAX_CALL_MS = 60_000;

/** When a call may start, and when it must have ended. */
interface CallTimes {
  startBefore: Deadline;
  deadline: Deadline;
}

/** Calls of one hosted model: within its semaphore, paused when it fails too often, and timed by the deadline. */
export class ModelCalls {
  readonly hosted: HostedModel;
  readonly semaphore: Semaphore;
  readonly pace: Pace;
  readonly #breaker: Breaker;
  readonly #limits: Readonly<Record<InputType, number>>;
  readonly #waiting: Pick<RetryOptions, "wait">;

  constructor(hosted: HostedModel, options: HostedEmbedderOptions) {
    const { queryTimeoutMs = QUERY_TIMEOUT_MS, documentTimeoutMs = MAX_CALL_MS, wait } = options;
    this.hosted = hosted;
    this.semaphore = options.semaphore;
    this.pace = options.pace ?? createPace();
    this.#breaker = options.breaker ?? createBreaker({ judge });
    this.#limits = { query: queryTimeoutMs, document: documentTimeoutMs };
    this.#waiting = wait ? { wait } : {};
  }

  /** Embeds literals with `retry`. If no time is left for another attempt, throws the error of the last one. */
  embed(
    literals: readonly string[],
    input: InputType,
    { startBefore, deadline }: CallTimes,
    retryable: RetryOptions["retryable"],
  ): Promise<EmbeddingOutcome[]> {
    let last: unknown;
    const attempt = async () => {
      try {
        return await this.#once(literals, input, { startBefore, deadline });
      } catch (error) {
        if (!(error instanceof NoTimeLeftError && last)) last = error;
        throw last;
      }
    };
    return retry(attempt, { deadline: startBefore, retryable, ...this.#waiting });
  }

  /** If a call did not start because the model is slow, returns the error with the number of texts that fit. */
  slowness(error: unknown, texts: number, requestMs: number): SlowModelError | undefined {
    const fitting = Math.max(1, this.pace.finishedWithin(requestMs));
    return error instanceof NoTimeLeftError && fitting < texts ? new SlowModelError(fitting) : undefined;
  }

  #once(literals: readonly string[], input: InputType, { startBefore, deadline }: CallTimes) {
    const limit = this.#limits[input];
    // Also checks before queueing, because hung calls may occupy the whole semaphore.
    this.#breaker.check(input);
    return this.semaphore.run(startBefore, () =>
      this.#breaker.run(input, startBefore, async () => {
        const timeoutMs = Math.floor(Math.min(limit, earlier(deadline, MARGIN_MS).remaining()));
        if (timeoutMs <= 0) throw new NoTimeLeftError();
        const ended = input === "document" ? this.#begin(literals.length, timeoutMs) : undefined;
        try {
          const answer = await this.hosted.invoke(this.hosted.body(literals, input), timeoutMs);
          ended?.("embedded");
          return this.hosted.parse(answer, literals.length);
        } catch (error) {
          ended?.(error instanceof ModelCallTimeout ? "timed_out" : "failed");
          if (error instanceof ModelCallTimeout && timeoutMs < Math.min(limit, this.#limits.query)) {
            error.wasShort = true;
          }
          throw error;
        }
      }),
    );
  }

  /**
   * Counts the texts of a call for documents. Throws TooManyTextsError if the model would not finish them in time. If
   * nothing else is in progress, a single text is always tried: otherwise a model that was slow once would never be
   * used again.
   */
  #begin(texts: number, ms: number) {
    const others = this.pace.inProgress();
    const fitting = Math.max(others === 0 ? 1 : 0, this.pace.finishedWithin(ms) - others);
    if (texts > fitting) throw new TooManyTextsError(fitting);
    return this.pace.start(texts);
  }
}
