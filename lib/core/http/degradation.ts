/** The stages that can fail without failing the request. The guides explain each. */
export type Stage =
  | "embedding"
  | "personalization"
  | "profile"
  | "explanation"
  | "collapse"
  | "depth"
  | "shards"
  | "timed_out"
  | "item_records"
  | "campaign"
  | "realtime";

/** One thing that an answer was made without: what failed, why, and what it changed. */
export interface Degradation {
  stage: Stage;
  target: string;
  reason: string;
  effect: string;
}
