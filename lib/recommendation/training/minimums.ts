import { MIN_INTERACTIONS, MIN_USERS_WITH_TWO } from "../../personalize/limits.ts";
import type { Manifest } from "../etl/manifest.ts";
import type { EventCheck } from "../etl/settings.ts";

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
    const { interactions, users_with_two, exact } = found;
    return [
      ...(interactions < MIN_INTERACTIONS
        ? [`${name}: there are ${number(interactions)} interactions${which}, needed are ${number(MIN_INTERACTIONS)}`]
        : []),
      ...(users_with_two < MIN_USERS_WITH_TWO
        ? [
            `${name}: ${exact ? "" : "about "}${number(users_with_two)} users have at least two interactions${which}, ` +
              `needed are ${MIN_USERS_WITH_TWO}`,
          ]
        : []),
    ];
  });
}

function typesOf(types: Readonly<Record<string, number>>): string {
  const listed = Object.entries(types).sort(([, a], [, b]) => b - a);
  if (listed.length === 0) return "no events at all: upload some with /log-event";
  const shown = listed.slice(0, 20).map(([type, count]) => `"${type}" (${number(count)})`);
  return `${shown.join(", ")}${listed.length > shown.length ? ` and ${listed.length - shown.length} more` : ""}`;
}

const number = (value: number) => value.toLocaleString("en");
