import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { parse } from "yaml";
import { typesNamedIn } from "../../lib/config/checks/event-types.ts";
import { FiltersSchema } from "../../lib/config/filter.ts";
import { nearest } from "../../lib/config/nearest.ts";
import { SolutionSchema } from "../../lib/config/solution.ts";
import type { EventTypes } from "../../lib/recommendation/schema/sample.ts";

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
  const solution = read(folder, "solution.yaml", SolutionSchema);
  return Object.entries(solution?.recipes ?? {}).flatMap(([kind, settings]): Use[] =>
    settings?.target_event_type === undefined
      ? []
      : [[`solution.yaml: recipes.${kind}.target_event_type`, settings.target_event_type]],
  );
}

function inFilters(folder: string): Use[] {
  const filters = read(folder, "filter.yaml", FiltersSchema)?.filters ?? [];
  return filters.flatMap(({ name, expression }) => {
    return typesNamedIn(expression).map((type): Use => [`filter.yaml: the filter ${name}`, type]);
  });
}

function read<Schema extends v.GenericSchema>(
  folder: string,
  file: string,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  const path = join(folder, file);
  if (!existsSync(path)) return undefined;
  try {
    const parsed = v.safeParse(schema, parse(readFileSync(path, "utf8")));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}
