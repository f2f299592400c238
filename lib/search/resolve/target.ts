import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { IndexSettings } from "../gateway/settings.ts";
import type { Resolver } from "../gateway/tools.ts";
import type { IndexInfo } from "../opensearch/index-catalog.ts";
import { entryOf, findNamed } from "./entry.ts";
import { namesIn, plainName, standsFor } from "./expression.ts";

/** A concrete index with its entry in hybrid_search.yaml, if there is one. */
export interface TargetIndex extends IndexInfo {
  entry: IndexSettings | undefined;
  /**
   * All names of the index, however the expression is written: its own, its data stream and its aliases. An alias with
   * a filter shows only a part of the index, so it is included only if the expression matches it.
   */
  names: readonly string[];
}

/** The current result of resolving an index expression. */
export interface Target {
  /** The concrete indexes, sorted by name; empty if there is none. */
  indexes: readonly TargetIndex[];
  /** The index that a write to the expression goes to; undefined if there is none or it is ambiguous. */
  written: TargetIndex | undefined;
  /** Whether the cluster wraps a search in another query: to exclude nested documents, or for an alias's filter. */
  isWrapped: boolean;
}

/**
 * Resolves an index expression: a name, alias, data stream, list, wildcard, exclusion or date math. Does not check
 * permissions: callers check the expression first (lib/search/access). Results older than `maxAgeMs` are read from the
 * cluster again.
 */
export async function resolveTarget(
  { catalog, settings }: Resolver,
  expression: string,
  deadline: Deadline,
  maxAgeMs?: number,
): Promise<Target> {
  const asked = namesIn(expression);
  const indexes = (await catalog.resolve(expression, deadline, maxAgeMs)).map((index): TargetIndex => {
    const { name, aliases, dataStream, meta } = index;
    const names = [...aliases.keys(), ...(dataStream === undefined ? [] : [dataStream])];
    const isHidden = (alias: string) => aliases.get(alias)?.isFiltered && !standsFor(expression, alias);
    return {
      ...index,
      entry: entryOf(settings.indexes, { name, aliases: names, describedEntry: meta?.entry }, asked),
      names: [name, ...names.filter((one) => !isHidden(one))],
    };
  });
  const isWrapped = indexes.some(
    ({ name, aliases, hasNested }) =>
      hasNested || (!asked.includes(name) && [...aliases.values()].some(({ isFiltered }) => isFiltered)),
  );
  return { indexes, written: writtenIndex(indexes, plainName(expression)), isWrapped };
}

/**
 * Returns the entry of an index that does not exist yet. Date math is compared by its literal prefix, because only the
 * cluster knows its date.
 */
export const entryOfAbsent = ({ indexes }: Resolver["settings"], name: string): IndexSettings | undefined =>
  findNamed(indexes, name);

function writtenIndex(indexes: readonly TargetIndex[], name: string): TargetIndex | undefined {
  const [only, ...others] = indexes;
  if (others.length === 0) return only;
  // A data stream writes to its latest backing index: .ds-<stream>-000002.
  if (indexes.every(({ dataStream }) => dataStream === name)) {
    return indexes.reduce((last, index) => (generationOf(index) > generationOf(last) ? index : last));
  }
  return indexes.find(({ aliases }) => aliases.get(name)?.isWriteIndex);
}

const generationOf = ({ name }: TargetIndex): number => Number(/-(\d+)$/.exec(name)?.[1] ?? 0);
