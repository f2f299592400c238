import * as v from "valibot";
import { eventTypesIn } from "../personalize/filters/event-types.ts";
import { parseFilter } from "../personalize/filters/parser.ts";
import { eventTypeRoom } from "../personalize/limits.ts";
import type { Recommendation } from "./configuration.ts";

/** Which event types go to Personalize, by imports and in real time. */
export const EventTypeChoice = v.strictObject({
  /** These types come first, in this order. */
  named: v.array(v.string()),
  /** Whether the most frequent other types fill the remaining places. */
  others: v.boolean(),
  /** The number of types that Personalize takes beside the fields of the schema. */
  most: v.pipe(v.number(), v.integer(), v.minValue(1)),
});

export type EventTypeChoice = v.InferOutput<typeof EventTypeChoice>;

/**
 * Returns the choice of `event_types` in solution.yaml. Its default are the types that recipes and filters name. A
 * recipe without target_event_type, and a filter that compares with any type, name all of them.
 */
export function eventTypeChoice({
  solution,
  filters,
  schemas,
}: Pick<Recommendation, "solution" | "filters" | "schemas">): EventTypeChoice {
  const most = eventTypeRoom(schemas.interaction.fields.map(({ name }) => name));
  if (solution.event_types) return { named: [...solution.event_types], others: false, most };
  const targets = Object.values(solution.recipes).map((recipe) => recipe?.target_event_type);
  const uses = filters.map(({ expression }) => eventTypesIn(parseFilter(expression)));
  const named = [...targets.flatMap((type) => type ?? []), ...uses.flatMap((use) => use.named)];
  // Without recipes, the built-in engine learns from all events.
  const others = targets.length === 0 || targets.includes(undefined) || uses.some(({ all }) => all);
  return { named: [...new Set(named)], others, most };
}

/** Returns the types of a choice that does not depend on how frequent they are; otherwise undefined. */
export function fixedTypes({ named, others, most }: EventTypeChoice): readonly string[] | undefined {
  return others || named.length > most ? undefined : named;
}

/** Returns the types of a choice among events with these counts. Types without events take no place. */
export function chosenTypes({ named, others, most }: EventTypeChoice, counts: ReadonlyMap<string, number>): string[] {
  const first = named.filter((type) => counts.has(type));
  const rest = [...counts].filter(([type]) => others && !named.includes(type));
  rest.sort(([a, some], [b, more]) => more - some || (a < b ? -1 : 1));
  return [...first, ...rest.map(([type]) => type)].slice(0, most);
}
