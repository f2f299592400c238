import type { Deadline } from "../../platform/resilience/deadline.ts";

/** What the scores of one search took. */
export interface RerankUsage {
  /** Calls of the model. */
  calls: number;
  /** Units that they are billed as; 0 for an endpoint, which is billed by the hour. */
  units: number;
  /** Scores that were in the function's memory. */
  cached: number;
}

/** Gives texts scores by a model that reads each with the query. */
export interface Reranker {
  /**
   * Returns a score for each text, in their order; undefined for one without content, which no model takes. Texts go in
   * batches of `batchSize`, all at once. Throws {@link RerankError}: without all scores there is no order.
   */
  score(
    query: string,
    texts: readonly string[],
    options: { batchSize?: number | undefined; deadline: Deadline },
  ): Promise<{ scores: Array<number | undefined>; usage: RerankUsage }>;
}

/** Texts have no scores. Callers of the API see the message, so it names no endpoint, host or ARN. */
export class RerankError extends Error {
  override name = "RerankError";
  readonly usage: RerankUsage;

  constructor(reason: string, usage: RerankUsage, options?: ErrorOptions) {
    super(reason, options);
    this.usage = usage;
  }
}
