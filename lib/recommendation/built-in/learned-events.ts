import { RECIPE_KINDS } from "../../platform/contract/recommendation.ts";
import type { Solution } from "../../settings/solution.ts";
import type { EventCheck } from "../etl/tasks.ts";
import type { StoredEvent } from "../records/layout.ts";

/** The event type and the smallest EVENT_VALUE of the events that the built-in engine learns from; all without either. */
export type LearnedEvents = Partial<Pick<EventCheck, "event_type" | "event_value_threshold">>;

/** Returns the events that the engine learns from: those of the first configured recipe. */
export function learnedEvents(recipes: Solution["recipes"]): LearnedEvents {
  const kind = RECIPE_KINDS.find((kind) => recipes[kind] !== undefined);
  const { target_event_type, event_value_threshold } = (kind && recipes[kind]) ?? {};
  return {
    ...(target_event_type !== undefined && { event_type: target_event_type }),
    ...(event_value_threshold !== undefined && { event_value_threshold: Number(event_value_threshold) }),
  };
}

/** Returns the test for one event. */
export const learnsFrom =
  ({ event_type, event_value_threshold }: LearnedEvents) =>
  ({ EVENT_TYPE, EVENT_VALUE }: Pick<StoredEvent, "EVENT_TYPE" | "EVENT_VALUE">): boolean =>
    (event_type === undefined || EVENT_TYPE === event_type) &&
    (event_value_threshold === undefined || (EVENT_VALUE !== undefined && EVENT_VALUE >= event_value_threshold));
