import type { EventTypes } from "../../lib/recommendation/schema/sample.ts";
import { typesNamedIn } from "../../lib/settings/checks/event-types.ts";
import { nearest } from "../../lib/settings/nearest.ts";
import { SolutionSchema } from "../../lib/settings/solution.ts";
import { readFilters, readValid } from "./filters.ts";

/**
 * Returns a line for each event type that solution.yaml or filter.yaml names and no event has: training would find no
 * data, and a filter would match nothing. Skips files that are missing or that `relevance validate` refuses.
 */
export function absentEventTypes(folder: string, types: EventTypes): string[] {
  return [...inSolution(folder), ...inFilters(folder)].flatMap(([place, type]) => {
    if (types.has(type)) return [];
    const close = nearest(type, types.keys());
    return [`${place} names the event type "${type}", which no event has${close ? `: did you mean "${close}"?` : ""}`];
  });
}

type Use = [place: string, type: string];

function inSolution(folder: string): Use[] {
  const solution = readValid(folder, "solution.yaml", SolutionSchema);
  return Object.entries(solution?.recipes ?? {}).flatMap(([kind, settings]): Use[] =>
    settings?.target_event_type === undefined
      ? []
      : [[`solution.yaml: recipes.${kind}.target_event_type`, settings.target_event_type]],
  );
}

function inFilters(folder: string): Use[] {
  return readFilters(folder).flatMap(({ name, expression }) => {
    return typesNamedIn(expression).map((type): Use => [`filter.yaml: the filter ${name}`, type]);
  });
}
