import { isObject } from "../../platform/json/values.ts";
import type { Stage, StageSelection } from "./stage.ts";

/** Returns the response processor that leaves out hits of a page, so that a short page is not the end of the list. */
export function droppingProcessor(processors: readonly unknown[]): string | undefined {
  return processors
    .flatMap((one) => (isObject(one) ? Object.entries(one) : []))
    .find(
      ([name, how]) => name === "collapse" || (name === "truncate_hits" && isObject(how) && "target_size" in how),
    )?.[0];
}

/** Returns stages as not available: without the hits that a processor leaves out, no window and no later page is known. */
export const declinedBy = (processor: string, stages: readonly Stage[]): StageSelection[] =>
  stages.map(({ name, lost }) => ({
    declined: {
      stage: name,
      target: "search_response",
      reason: `the search pipeline leaves out hits of each page (${processor})`,
      effect: lost,
    },
  }));
