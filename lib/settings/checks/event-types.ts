import { eventTypesIn } from "../../personalize/filters/event-types.ts";
import { validFilter } from "../../personalize/filters/parser.ts";
import { eventTypeRoom, fieldsBesideTypes, MAX_EVENT_TYPES_AND_FIELDS } from "../../personalize/limits.ts";
import { RECIPE_KINDS } from "../../platform/contract/recommendation.ts";
import { nearest } from "../nearest.ts";
import { type Check, noneTwice, sound } from "./drafts.ts";

/** Checks that `event_types` fits beside the fields of the schema, and has every type that recipes and filters name. */
export const checkEventTypes: Check = ({ solution, filter, interaction }, report) => {
  const types = solution?.event_types;
  if (types === undefined) return;
  noneTwice(report, "solution", ["event_types"], types);
  const fields = sound(interaction?.fields).flatMap(([, { name }]) => name ?? []);
  if (interaction?.fields && types.length > eventTypeRoom(fields)) {
    const message =
      `has ${types.length} event types: Personalize takes ${MAX_EVENT_TYPES_AND_FIELDS} together with the fields ` +
      `${fieldsBesideTypes(fields).join(", ")} of the interaction schema, so list at most ${eventTypeRoom(fields)}`;
    report("solution", ["event_types"], message);
  }
  const known = sound(types).map(([, type]) => type);
  const missing = (type: string) => {
    const close = nearest(type, known);
    return `"${type}" is not in event_types of solution.yaml: ${close ? `did you mean "${close}"?` : "add it there"}`;
  };
  for (const kind of RECIPE_KINDS) {
    const type = solution?.recipes?.[kind]?.target_event_type;
    if (type === undefined || known.includes(type)) continue;
    report("solution", ["recipes", kind, "target_event_type"], missing(type));
  }
  for (const [index, { expression = "" }] of sound(filter?.filters)) {
    for (const type of typesNamedIn(expression)) {
      if (!known.includes(type)) report("filter", ["filters", index, "expression"], missing(type));
    }
  }
};

/** Returns the event types that an expression names. None if it cannot be parsed, which another check reports. */
export function typesNamedIn(expression: string): string[] {
  const filter = validFilter(expression);
  return filter ? eventTypesIn(filter).named : [];
}
