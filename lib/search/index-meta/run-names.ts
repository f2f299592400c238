import { randomBytes } from "node:crypto";
import type { KeyRules } from "../../platform/http/access.ts";

const PREFIX = "relevance-run-";

/** Returns the name of the index with the record and the ledger of a run. */
export const runIndex = (id: string): string => `${PREFIX}${id}`;

/** Pattern of the indexes of all runs. They are hidden. */
export const RUN_INDEXES = `${PREFIX}*`;

/** The body that creates the index of a run. */
export const RUN_INDEX_BODY = {
  settings: { index: { hidden: true, number_of_shards: 1, auto_expand_replicas: "0-1" } },
  mappings: { enabled: false },
};

/** Returns a unique suffix for names: the time, and four random characters. */
export function newStamp(now: Date): string {
  return `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}-${randomBytes(2).toString("hex")}`;
}

const STAMP = /^(?:(.+)-)?\d{8}-\d{6}-[0-9a-f]{4}$/s;

/** Characters that are allowed in an alias or date math, but not in an index name. */
const NO_INDEX = /[\p{Lu}\s\\/*?"<>|#,:%{}]/u;

/** The most bytes of a base name: the limit is 255 bytes, and prefixes and suffixes are added. */
const MOST_BYTES = 200;

/**
 * Returns the id of a new run that works on an index or alias. It starts with that name, so that a key's rights to the
 * index apply to the run; unless no index can have that name.
 */
export function newRunId(name: string, now: Date): string {
  const stamp = newStamp(now);
  return NO_INDEX.test(name) || Buffer.byteLength(name) > MOST_BYTES ? stamp : `${name}-${stamp}`;
}

/** Returns the name of the index or alias of a run, if its id contains one. */
export const nameOfRun = (id: string): string | undefined => STAMP.exec(id)?.[1];

/** Returns the id of the run that an index belongs to; undefined for other indexes. */
export const runOfIndex = (index: string): string | undefined =>
  index.startsWith(PREFIX) ? index.slice(PREFIX.length) : undefined;

const TARGET = "relevance-target-";

/** Returns the alias of the new index that only the process with this epoch writes to. */
export const targetAlias = ({ id, epoch }: { id: string; epoch: number }): string => `${TARGET}${id}-${epoch}`;

/** Returns the id of the run whose new index an alias is for; undefined for other aliases. */
export const runOfTarget = (alias: string): string | undefined => /^relevance-target-(.+)-\d+$/s.exec(alias)?.[1];

/** Returns whether a name is the target alias of a rebuild. */
export const isRebuild = (name: string): boolean => name.startsWith(TARGET);

/**
 * Returns the name that decides whether a key may write to an index. For the target alias of a rebuild, that is the
 * rebuilt index.
 */
export function writtenName({ endpoints }: KeyRules, index: string): string {
  const run = endpoints.includes("administration") ? runOfTarget(index) : undefined;
  return (run === undefined ? undefined : nameOfRun(run)) ?? index;
}
