import type { Deadline } from "../../platform/resilience/deadline.ts";

/** Model usage for the scores of one search. */
export interface RerankUsage {
  /** Model calls. */
  calls: number;
  /** Billed units; 0 for an endpoint, which is billed by the hour. */
  units: number;
  /** Scores taken from the cache. */
  cached: number;
}

/** Scores texts with a model that reads each together with the query. */
export interface Reranker {
  /**
   * Returns one score per text, in order; undefined for blank texts, which no model accepts. Sends all batches of
   * `batchSize` at once. Throws {@link RerankError} if any score is missing, since then there is no order.
   */
  score(
    query: string,
    texts: readonly string[],
    options: { batchSize?: number | undefined; deadline: Deadline },
  ): Promise<{ scores: Array<number | undefined>; usage: RerankUsage }>;
}

/** Thrown if texts cannot be scored. Callers of the API see the message, so it names no endpoint, host or ARN. */
export class RerankError extends Error {
  override name = "RerankError";
  readonly usage: RerankUsage;

  constructor(reason: string, usage: RerankUsage, options?: ErrorOptions) {
    super(reason, options);
    this.usage = usage;
  }
}
