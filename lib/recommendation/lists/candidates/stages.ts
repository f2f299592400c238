import type { RECOMMENDATION_STAGES } from "../../../platform/contract/recommendation.ts";
import type { Degradation } from "../../../platform/http/degradation.ts";

/** One stage of the pipeline that makes a list. */
export interface Stage {
  /** The name in `degraded`. */
  name: (typeof RECOMMENDATION_STAGES)[number];
  /** The effect on the list when the stage fails, as a message for the client. */
  lost: string;
}

/**
 * The stages of a list, in the order of the pipeline. If a stage fails, only its own effect is missing, and `degraded`
 * names it.
 */
export const STAGES = {
  placement: { name: "placement", lost: "an earlier version of the placements is in use" },
  source: { name: "campaign", lost: "the fallback chain in place of recommendations" },
  promotions: { name: "promotions", lost: "promoted items come from the fallback chain" },
  diversity: { name: "diversity", lost: "items whose record could not be read count for no category" },
  fallback: { name: "fallback", lost: "the list goes on with the next of the chain" },
  records: { name: "item_records", lost: "items have ITEM_ID alone, and were not checked" },
} as const satisfies Record<string, Stage>;

/** Returns the entry of `degraded` for a failed stage. Default effect: that of the stage. */
export const failed = (stage: Stage, target: string, reason: string, effect: string = stage.lost): Degradation => ({
  stage: stage.name,
  target,
  reason,
  effect,
});
