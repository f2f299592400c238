import { NoTimeLeftError } from "./embedder.ts";

/** Texts in the first call of a process, which measures the model's speed. Few, so that a slow model finishes them. */
export const FIRST_TEXTS = 8;

/** Weight of the last call in the moving average. */
const LAST = 0.5;

/** Safety factor for a call's duration, because texts differ in length. */
const MARGIN = 1.25;

/** How a call for documents ended. Failures other than a timeout say nothing about the speed. */
export type CallEnd = "embedded" | "timed_out" | "failed";

/** Speed at which a model embeds documents, measured by the calls of this process. */
export interface Pace {
  /** Returns whether the speed is known, because a call has ended. */
  isKnown(): boolean;
  /**
   * Returns how many texts the model should finish within `ms` if it does nothing else. Infinity if the speed is
   * unknown.
   */
  finishedWithin(ms: number): number;
  /** Returns the number of texts in progress. */
  inProgress(): number;
  /** Resolves when the next call ends. */
  ended(): Promise<void>;
  /** Counts texts as in progress. Call the returned function when their call has ended. */
  start(texts: number): (end: CallEnd) => void;
}

/** Error for a call that the model would not finish in time. Nothing was sent. */
export class TooManyTextsError extends NoTimeLeftError {
  override name = "TooManyTextsError";
  /** How many texts the model would finish. */
  readonly fitting: number;

  constructor(fitting: number) {
    super();
    this.fitting = fitting;
  }
}

/** Error for a text that was not sent because the model would not finish it in time. */
export class SlowModelError extends NoTimeLeftError {
  override name = "SlowModelError";
  override retryAfterSeconds = 1;

  /** `fitting` is the number of texts that the model finishes in the time of one request. */
  constructor(fitting: number) {
    super(
      `no time was left: the model embeds about ${fitting} ${fitting === 1 ? "text" : "texts"} in the time of one ` +
        "request, so send fewer at a time",
    );
  }
}

/**
 * Returns the speed estimate of one model in one process. The duration of a call is related to all texts in progress,
 * not only its own. So one number fits both a model that works on all calls at once and one that queues them.
 */
export function createPace(now: () => number = () => performance.now()): Pace {
  /** Milliseconds for each text in progress. */
  let msPerText: number | undefined;
  let inProgress = 0;
  let next = Promise.withResolvers<void>();

  return {
    isKnown: () => msPerText !== undefined,
    finishedWithin: (ms) =>
      msPerText === undefined ? Number.POSITIVE_INFINITY : Math.floor(Math.max(0, ms) / (msPerText * MARGIN)),
    inProgress: () => inProgress,
    ended: () => next.promise,
    start(texts) {
      inProgress += texts;
      const started = now();
      const together = inProgress;
      return (end) => {
        inProgress -= texts;
        const observed = (now() - started) / together;
        next.resolve();
        next = Promise.withResolvers();
        if (end === "timed_out") msPerText = Math.max(msPerText ?? 0, observed);
        else if (end === "embedded") msPerText = (msPerText ?? observed) + LAST * (observed - (msPerText ?? observed));
      };
    },
  };
}
