import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { parse } from "yaml";
import { type Filter, FiltersSchema } from "../../lib/settings/filter.ts";

/** Returns the filters of a configuration folder. None if there is no filter.yaml, or `relevance validate` refuses it. */
export function readFilters(folder: string): readonly Filter[] {
  return readValid(folder, "filter.yaml", FiltersSchema)?.filters ?? [];
}

/** Reads a configuration file. Returns undefined if it is missing or `relevance validate` refuses it. */
export function readValid<Schema extends v.GenericSchema>(
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
