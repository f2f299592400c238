import { EmbeddingError } from "./embedder.ts";

/** Failures in a row after which a model is not called. A query that times out makes two. */
export const FAILURES = 4;

/** Milliseconds for which it is not called. */
export const OPEN_MS = 10_000;

/** What a call has shown about a model. A call that had little time, or did not start, shows nothing. */
export type Verdict = "alive" | "down" | "unknown";

/** Stops calling a model that fails again and again, so that a hung endpoint does not cost each request its timeouts. */
export interface Breaker {
  /** Throws ModelPausedError while the model is not called. */
  check(): void;
  /** Runs a call. Throws ModelPausedError instead of calling while the model is paused, or another call is the trial. */
  run<T>(call: () => Promise<T>): Promise<T>;
}

export interface BreakerOptions {
  /** Judges a failure. */
  judge: (error: unknown) => { verdict: Verdict; reason: string };
  /** Called when the model is paused, for the first time or after a failed trial. */
  onPause?: ((reason: string) => void) | undefined;
  now?: (() => number) | undefined;
}

/** Error for a model that is not called because its last calls failed. */
export class ModelPausedError extends EmbeddingError {
  override name = "ModelPausedError";

  constructor(reason: string, retryAfterMs: number) {
    super(`model is not called for some seconds, since its last calls failed: ${reason}`, { retryable: true });
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  }
}

/**
 * Returns the breaker of one model in one process. After {@link FAILURES} in a row it pauses the model for
 * {@link OPEN_MS}, then lets a single call through, whose outcome decides. Any success ends the pause.
 */
export function createBreaker({ judge, onPause, now = () => performance.now() }: BreakerOptions): Breaker {
  let failures = 0;
  let lastReason = "";
  let pausedUntil: number | undefined;
  let trial = false;

  const check = () => {
    if (pausedUntil === undefined) return;
    const left = pausedUntil - now();
    if (left > 0 || trial) throw new ModelPausedError(lastReason, left);
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

  return {
    check,
    async run(call) {
      check();
      const isTrial = pausedUntil !== undefined;
      if (isTrial) trial = true;
      try {
        const result = await call();
        succeed();
        return result;
      } catch (error) {
        const { verdict, reason } = judge(error);
        if (verdict === "alive") succeed();
        else if (verdict === "down") fail(reason, isTrial);
        throw error;
      } finally {
        if (isTrial) trial = false;
      }
    },
  };
}
