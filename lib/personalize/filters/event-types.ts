import { everyCondition, type Filter } from "./parser.ts";

/** The event types that a filter needs: those that it names and, if `all`, any other. */
interface FilterEventTypes {
  named: string[];
  all: boolean;
}

/**
 * Returns the event types that a filter compares with. It needs all of them if it compares with `"*"` or a placeholder,
 * or names those that it does not want.
 */
export function eventTypesIn(filter: Filter): FilterEventTypes {
  const conditions = [...everyCondition(filter)]
    .map(({ condition }) => condition)
    .filter(({ field }) => field.dataset === "Interactions" && /^event_?type$/i.test(field.field));
  const operands = conditions.flatMap((condition) => condition.operands);
  const named = operands.flatMap((one) => (one.kind === "text" && one.value !== "*" ? [one.value] : []));
  const all = named.length < operands.length || conditions.some(({ operator }) => operator === "NOT IN");
  return { named: [...new Set(named)], all };
}
