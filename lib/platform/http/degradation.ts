import type { RECOMMENDATION_STAGES } from "../contract/recommendation.ts";
import type { SEARCH_STAGES } from "../contract/search.ts";

/** The stages that can fail without failing the request. The guides explain each. */
export type Stage = (typeof SEARCH_STAGES | typeof RECOMMENDATION_STAGES)[number];

/** One thing that an answer was made without: what failed, why, and what it changed. */
export interface Degradation {
  stage: Stage;
  target: string;
  reason: string;
  effect: string;
}
