import { type Deadline, withTimeout } from "../../platform/resilience/deadline.ts";
import { EmbeddingError, NoTimeLeftError } from "./embedder.ts";
import type { InputType } from "./model-client.ts";

/** Consecutive failures after which calls to a model are paused. A query that times out counts as two. */
export const FAILURES = 4;

/** Duration of the pause in milliseconds. */
export const OPEN_MS = 10_000;

/** Health of the model as a call shows it. Unknown: the call had little time or did not start. */
export type Verdict = "alive" | "down" | "unknown";

/** Stops calling a model that fails again and again, so that a hung endpoint does not cost each request its timeouts. */
export interface Breaker {
  /** Throws ModelPausedError while the model is paused. */
  check(input: InputType): void;
  /**
   * Runs a call. Throws ModelPausedError while the model is paused. After a pause, one call is the trial. Meanwhile
   * queries get ModelPausedError, since a search can do without the model. Documents wait for the trial's outcome, or
   * throw NoTimeLeftError when `startBefore` ends first.
   */
  run<T>(input: InputType, startBefore: Deadline, call: () => Promise<T>): Promise<T>;
}

export interface BreakerOptions {
  /** Classifies a failure. */
  judge: (error: unknown) => { verdict: Verdict; reason: string };
  /** Called when the model is paused: first, and after each failed trial. */
  onPause?: ((reason: string) => void) | undefined;
  now?: (() => number) | undefined;
}

/** Error for a model that is not called because its last calls failed. */
export class ModelPausedError extends EmbeddingError {
  override name = "ModelPausedError";

  constructor(reason: string, retryAfterMs: number) {
    super(`calls to the model are paused for some seconds, because the last ones failed: ${reason}`, {
      retryable: true,
    });
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  }
}

/**
 * Returns the circuit breaker of one model in one process. After {@link FAILURES} consecutive failures it pauses the
 * model for {@link OPEN_MS}, then lets one trial call through, whose outcome decides. Any success ends the pause.
 */
export function createBreaker({ judge, onPause, now = () => performance.now() }: BreakerOptions): Breaker {
  let failures = 0;
  let lastReason = "";
  let pausedUntil: number | undefined;
  let trial: Promise<void> | undefined;

  const check = (input: InputType) => {
    if (pausedUntil === undefined) return;
    const left = pausedUntil - now();
    if (left > 0 || (trial && input === "query")) throw new ModelPausedError(lastReason, left);
  };

  const fail = (reason: string, wasTrial: boolean) => {
    failures += 1;
    lastReason = reason;
    // Calls that started before the pause do not prolong it.
    if (wasTrial || (failures >= FAILURES && pausedUntil === undefined)) {
      pausedUntil = now() + OPEN_MS;
      onPause?.(reason);
    }
  };

  const succeed = () => {
    failures = 0;
    pausedUntil = undefined;
  };

  const judged = async <T>(call: () => Promise<T>, isTrial: boolean): Promise<T> => {
    try {
      const result = await call();
      succeed();
      return result;
    } catch (error) {
      const { verdict, reason } = judge(error);
      if (verdict === "alive") succeed();
      else if (verdict === "down") fail(reason, isTrial);
      throw error;
    }
  };

  const trialEnded = () => {
    trial = undefined;
  };

  return {
    check,
    async run(input, startBefore, call) {
      check(input);
      for (let other = trial; other; other = trial) {
        await withTimeout(
          startBefore.remaining(),
          () => other as Promise<void>,
          () => new NoTimeLeftError(),
        );
        check(input);
      }
      if (pausedUntil === undefined) return judged(call, false);
      const running = judged(call, true);
      trial = running.then(trialEnded, trialEnded);
      return running;
    },
  };
}
