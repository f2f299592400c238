import { randomBytes } from "node:crypto";
import type { KeyRules } from "../../platform/http/access.ts";

const PREFIX = "relevance-run-";

/** The index with the record and the ledger of a run. */
export const runIndex = (id: string): string => `${PREFIX}${id}`;

/** The indexes of all runs, as a pattern. They are hidden. */
export const RUN_INDEXES = `${PREFIX}*`;

/** The body that creates the index of a run. */
export const RUN_INDEX_BODY = {
  settings: { index: { hidden: true, number_of_shards: 1, auto_expand_replicas: "0-1" } },
  mappings: { enabled: false },
};

/** Returns a text that nothing else is named after: the time, and four characters against two in one second. */
export function newStamp(now: Date): string {
  return `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}-${randomBytes(2).toString("hex")}`;
}

const STAMP = /^(?:(.+)-)?\d{8}-\d{6}-[0-9a-f]{4}$/s;

/** Characters that an alias or date math may have, and an index may not. */
const NO_INDEX = /[\p{Lu}\s\\/*?"<>|#,:%{}]/u;

/** Bytes of a name, beside those that are added to it, that fit into the 255 of an index. */
const MOST_BYTES = 200;

/**
 * Returns the id of a new run that works on an index or alias. It begins with that name, so that what a key may do with
 * the run follows from what it may do with the index; unless no index can be named so.
 */
export function newRunId(name: string, now: Date): string {
  const stamp = newStamp(now);
  return NO_INDEX.test(name) || Buffer.byteLength(name) > MOST_BYTES ? stamp : `${name}-${stamp}`;
}

/** Returns the name of the index or alias that a run works on, if its id begins with one. */
export const nameOfRun = (id: string): string | undefined => STAMP.exec(id)?.[1];

/** Returns the id of the run that an index belongs to, if it is one of a run. */
export const runOfIndex = (index: string): string | undefined =>
  index.startsWith(PREFIX) ? index.slice(PREFIX.length) : undefined;

const TARGET = "relevance-target-";

/** Returns the alias of the new index that only the process with this epoch writes through. */
export const targetAlias = ({ id, epoch }: { id: string; epoch: number }): string => `${TARGET}${id}-${epoch}`;

/** Returns the id of the run whose new index is written to through an alias, if it is such an alias. */
export const runOfTarget = (alias: string): string | undefined => /^relevance-target-(.+)-\d+$/s.exec(alias)?.[1];

/** Returns whether a name is such an alias. */
export const isRebuild = (name: string): boolean => name.startsWith(TARGET);

/**
 * Returns the name whose grant decides on a key's writes to an index: that of the rebuilt index for the alias through
 * which a rebuild writes.
 */
export function writtenName({ endpoints }: KeyRules, index: string): string {
  const run = endpoints.includes("administration") ? runOfTarget(index) : undefined;
  return (run === undefined ? undefined : nameOfRun(run)) ?? index;
}
