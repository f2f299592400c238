/** The metrics of an evaluation, unless others are requested; the first decides the verdict. */
export const EVALUATED_METRICS =
  "ndcg@10,mrr@10,precision@10,recall@100,map@100,condensed_ndcg@10,bpref,judged@10,zero_hits";

/** The metric that previews and tuning go by, unless another is requested. */
export const DECIDING_METRIC = "ndcg@10";

/** Searches at a time of an evaluation, a preview and a tuning. */
export const SEARCHES_AT_ONCE = 4;

/** Numbers of candidates that a tuning tries, besides the current one. */
export const TUNED_CANDIDATES: readonly number[] = [50, 100, 200];

/** Event types that count as conversions of recommendations. */
export const CONVERSIONS: readonly string[] = ["purchase"];
