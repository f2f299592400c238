import type { Api } from "../api.ts";
import type { AvroSchema } from "../avro.ts";
import type { EtlConfiguration } from "../etl.ts";
import type { Filters } from "../filter.ts";
import type { HybridSearch } from "../hybrid-search.ts";
import type { Models } from "../model.ts";
import type { Placements } from "../placements.ts";
import type { Path } from "../problem.ts";
import type { Project } from "../project.ts";
import type { Rules } from "../rules.ts";
import type { Campaign, Solution } from "../solution.ts";
import type { Draft } from "../validate.ts";

/** The input of checks: the valid parts of each file; undefined if a file is absent or could not be parsed. */
export interface Drafts {
  project?: Draft<Project> | undefined;
  api?: Draft<Api> | undefined;
  hybrid_search?: Draft<HybridSearch> | undefined;
  model?: Draft<Models> | undefined;
  solution?: Draft<Solution> | undefined;
  campaign?: Draft<Campaign> | undefined;
  filter?: Draft<Filters> | undefined;
  recommendation?: Draft<Placements> | undefined;
  rules?: Draft<Rules> | undefined;
  user?: Draft<AvroSchema> | undefined;
  item?: Draft<AvroSchema> | undefined;
  interaction?: Draft<AvroSchema> | undefined;
  etl?: Draft<EtlConfiguration> | undefined;
}

/** A configuration file, independent of its name on disk. */
export type FileKey = keyof Drafts;

/** Adds a problem. */
export type Report = (file: FileKey, path: Path, message: string) => void;

/**
 * A check of one subject. It only sees valid parts, so it never reports a value that is already reported as invalid.
 */
export type Check = (drafts: Drafts, report: Report) => void;

/** Calls `report` for each repeated key, with the position of the first entry that has it. */
export function uniqueBy<T>(
  entries: readonly (T | undefined)[] | undefined,
  keyOf: (entry: T) => string | undefined,
  report: (index: number, key: string, first: number) => void,
): void {
  const seen = new Map<string, number>();
  for (const [index, entry] of (entries ?? []).entries()) {
    const key = entry === undefined ? undefined : keyOf(entry);
    if (key === undefined) continue;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else report(index, key, first);
  }
}

/** Reports entries of a list that are the same text, or have the same `key`. `hint` ends the message. */
export function noneTwice<T>(
  report: Report,
  file: FileKey,
  path: Path,
  entries: readonly (T | undefined)[] | undefined,
  key?: keyof T & string,
  hint: (first: number) => string = () => "",
): void {
  uniqueBy(
    entries,
    (entry) => (key === undefined ? entry : entry[key]) as string | undefined,
    (index, value, first) =>
      report(file, [...path, index, ...(key ? [key] : [])], `"${value}" appears twice${hint(first)}`),
  );
}

/** Returns the valid entries with their positions. */
export function sound<T>(entries: readonly (T | undefined)[] | undefined): [number, T][] {
  return [...(entries ?? []).entries()].filter((entry): entry is [number, T] => entry[1] !== undefined);
}
