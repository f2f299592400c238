import type { RECOMMENDATION_STAGES } from "../../../platform/contract/recommendation.ts";
import type { Degradation } from "../../../platform/http/degradation.ts";

type StageName = (typeof RECOMMENDATION_STAGES)[number];

/** One stage of the pipeline that makes the list of a placement. */
export interface Stage {
  /** The name in `degraded`. */
  name: StageName;
  /** What it calls. */
  needs: string;
  /** What it does to the list. */
  effect: string;
  /** What the list lacks when the stage fails, as a message for the client. */
  lost: string;
}

/**
 * The stages of a placement, in the order of the pipeline. A stage that fails takes nothing but its own effect from the
 * list, and the answer says so.
 */
export const STAGES = {
  placement: {
    name: "placement",
    needs: "the document of placements in the bucket",
    effect: "chooses the placement and the visitor's variant",
    lost: "an earlier version of the placements is in use",
  },
  source: {
    name: "campaign",
    needs: "the campaign of the recipe and, by it, the filter",
    effect: "recommends the candidates, best first",
    lost: "the fallback chain in place of recommendations",
  },
  promotions: {
    name: "promotions",
    needs: "the same campaign, with the promotion's filter",
    effect: "gives promoted items their share of the list",
    lost: "promoted items come from the fallback chain",
  },
  diversity: {
    name: "diversity",
    needs: "the records of the candidates",
    effect: "bounds the items of a category and spreads similar items",
    lost: "items whose record could not be read count for no category",
  },
  fallback: {
    name: "fallback",
    needs: "what the last training wrote: the built-in engine's table and the lists, and the records of their items",
    effect: "recommends with `engine: built_in`, and fills what the campaign leaves empty",
    lost: "the list goes on with the next of the chain",
  },
  records: {
    name: "item_records",
    needs: "the item store",
    effect: "leaves out unknown, retired and excluded items, and adds the fields",
    lost: "items have ITEM_ID alone, and were not checked",
  },
} as const satisfies Record<string, Stage>;

/** Returns the entry of `degraded` for a stage that failed. */
export function failed(stage: Stage, target: string, reason: string, also?: string): Degradation {
  return { stage: stage.name, target, reason, effect: also === undefined ? stage.lost : `${stage.lost}; ${also}` };
}
