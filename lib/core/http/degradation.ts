export type Stage = "embedding" | "personalization" | "profile" | "depth" | "item_records" | "campaign" | "realtime";

/** One thing an answer was made without (decisions 3.3): what failed, why, and what it changed. */
export interface Degradation {
  stage: Stage;
  target: string;
  reason: string;
  effect: string;
}
