import { MAX_EVENT_TYPES_AND_FIELDS, MIN_INTERACTIONS, MIN_USERS_WITH_TWO } from "../../personalize/limits.ts";
import type { EventCheck, Manifest } from "../etl/tasks.ts";

/** Describes which minimums a run's data misses, one message for each recipe and minimum. Empty if all can train. */
export function lacks(
  { checks: counted, event_types }: Pick<Manifest, "checks" | "event_types">,
  checks: readonly EventCheck[],
): string[] {
  return checks.flatMap(({ name, event_type, event_value_threshold }) => {
    const found = counted.find((one) => one.name === name);
    if (!found) return [`${name}: the run has not counted its events`];
    if (event_type !== undefined && !event_types[event_type]) {
      return [`${name}: no event has the target_event_type "${event_type}"; there are ${typesOf(event_types)}`];
    }
    const which = [
      event_type === undefined ? "" : ` of type "${event_type}"`,
      event_value_threshold === undefined ? "" : ` with a value of ${event_value_threshold} or more`,
    ].join("");
    const { interactions, users, users_with_two } = found;
    const fewest = Math.max(MIN_USERS_WITH_TWO.count, Math.ceil(users * MIN_USERS_WITH_TWO.share));
    return [
      ...(interactions < MIN_INTERACTIONS
        ? [
            `${name}: there are ${number(interactions)} interactions${which}, but ${number(MIN_INTERACTIONS)} are needed`,
          ]
        : []),
      ...(users_with_two < fewest
        ? [
            `${name}: ${number(users_with_two)} users have at least two interactions${which}, ` +
              `but ${number(fewest)} are needed${fewest > MIN_USERS_WITH_TWO.count ? ", one in a hundred" : ""}`,
          ]
        : []),
    ];
  });
}

/**
 * Returns what is wrong if a run has more event types than Personalize takes beside that many other fields of the
 * interaction schema; otherwise undefined.
 */
export function tooManyTypes(
  { event_types }: Pick<Manifest, "event_types">,
  fields: readonly string[],
): string | undefined {
  const { length } = Object.keys(event_types);
  if (length + fields.length <= MAX_EVENT_TYPES_AND_FIELDS) return undefined;
  const beside =
    fields.length === 0 ? "" : ` and the schema has ${fields.length} fields of its own (${fields.join(", ")})`;
  return (
    `The events have ${length} types${beside}: Personalize takes ${MAX_EVENT_TYPES_AND_FIELDS} together. ` +
    `The types are ${typesOf(event_types)}`
  );
}

function typesOf(types: Readonly<Record<string, number>>): string {
  const listed = Object.entries(types).sort(([, a], [, b]) => b - a);
  if (listed.length === 0) return "no events at all: upload some with /log-event";
  const shown = listed.slice(0, 20).map(([type, count]) => `"${type}" (${number(count)})`);
  return `${shown.join(", ")}${listed.length > shown.length ? ` and ${listed.length - shown.length} more` : ""}`;
}

const number = (value: number) => value.toLocaleString("en");
