import { join } from "node:path";
import * as v from "valibot";
import { type ObjectStore, readText, replace } from "../../platform/aws/object-store.ts";
import { etlRun, PREFIXES } from "../../platform/naming/object-keys.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import { type Database, literal } from "../../platform/sql/database.ts";

const number = (value: number, digits: number) => String(value).padStart(digits, "0");

/** Keys of files that runs share: the events of each day, which are transformed once. */
export const sharedKeys = {
  /** Firehose writes by the hour of arrival, in UTC: `events/2025/02/28/13/…`. */
  events: (day: string) => `${PREFIXES.events}${day.replaceAll("-", "/")}/`,
  groups: (day: string) => `${PREFIXES.etlDays}${day}/`,
  /** The counts of a group. Written when the group is done. Files are not shared across partition counts. */
  group: (day: string, digest: string, of: number) => `${PREFIXES.etlDays}${day}/${digest}-${number(of, 4)}.json`,
  partitions: (group: string) => Number(group.slice(-"0000.json".length, -".json".length)),
  rows: (group: string, partition: number) => group.replace(/\.json$/, `-${number(partition, 4)}.parquet`),
  rejects: (group: string) => group.replace(/json$/, "rejects.jsonl"),
  /** Users who logged in during a session of the group. */
  logins: (group: string) => group.replace(/\.json$/, "-logins.parquet"),
  /** All files of a group. */
  files: (group: string): string[] => [
    ...[group, sharedKeys.rejects(group), sharedKeys.logins(group)],
    ...Array.from({ length: sharedKeys.partitions(group) }, (_, partition) => sharedKeys.rows(group, partition)),
  ],
} as const;

/** Returns the keys of one run's files. The three dataset folders contain only files that Personalize imports. */
export function runKeys(run: string) {
  const root = etlRun(run);
  return {
    root,
    plan: `${root}plan/plan.json`,
    /** The items of the first map, which reads events and tables, and of the second, which writes shards. */
    reads: `${root}plan/reads.json`,
    shards: `${root}plan/shards.json`,
    /** The item of the map that trains the built-in engine. */
    engine: `${root}plan/built-in.json`,
    shard: (shard: number) => `${root}results/shard-${number(shard, 5)}.parquet`,
    segments: (dataset: string) => `${root}results/${dataset}-`,
    segment: (dataset: string, segment: number) => `${root}results/${dataset}-${number(segment, 4)}.json`,
    folder: (dataset: string) => `${root}${dataset}s/`,
    interactions: (shard: number) => `${root}interactions/${number(shard, 5)}.csv`,
    /** A file of a table, and a file of its rejected rows: prefixes `folder` and `rejects`. */
    part: (segment: number, part: number) => `${number(segment, 4)}-${number(part, 5)}`,
    /** Hashes of the ids in a file of a table. */
    ids: (dataset: string) => `${root}results/ids-${dataset}-`,
    /** The newest items in a file of a table. */
    newest: `${root}results/newest-`,
    rejects: (dataset: string) => `${root}rejects/${dataset}s-`,
    popularItems: `${root}popular-items.json`,
    manifest: `${root}manifest.json`,
    /** Report of the built-in engine. Written last: if it is missing, the run did not train the engine. */
    builtIn: `${root}built-in.json`,
  };
}

/** An ETL failure that a retry cannot fix. The execution reports the message as its cause. */
export class EtlError extends Error {
  override name = "EtlError";
}

/** Number of items in a list: the largest answer (500), plus as many again that may be excluded or inactive. */
export const LISTED_ITEMS = 1_000;

/** How many objects to transfer in parallel. */
export const TRANSFERS = 16;

type Schema<T> = v.GenericSchema<unknown, T>;

/** Reads a file of a run. Undefined if it does not exist. Throws EtlError if it does not match the schema. */
export async function findFile<T>(store: ObjectStore, key: string, schema: Schema<T>): Promise<T | undefined> {
  const text = await readText(store, key);
  if (text === undefined) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
  if (read.success) return read.output;
  throw new EtlError(`${key} is not what this version of ETL writes: ${v.summarize(read.issues)}`);
}

/** Reads a file that an earlier step of the run wrote. Throws EtlError if it is missing or invalid. */
export async function readFile<T>(store: ObjectStore, key: string, schema: Schema<T>): Promise<T> {
  const content = await findFile(store, key, schema);
  if (content === undefined) throw new EtlError(`${key} is missing: was the step before it run?`);
  return content;
}

/** Writes a file of a run. */
export const writeFile = (store: ObjectStore, key: string, content: unknown): Promise<void> =>
  store.write(key, JSON.stringify(content));

/** Writes the rejected rows as lines of JSON, and returns their number. */
export async function writeRejected(store: ObjectStore, key: string, engine: Database): Promise<number> {
  const file = join(engine.folder, "rejected.jsonl");
  const rows = await engine.run(`COPY rejected TO ${literal(file)} (FORMAT json)`);
  await replace(store, key, rows > 0 && file);
  return rows;
}

/** Returns the key where a map's item leaves the reason why it has no result. */
export const errorKey = (result: string) => `${result.slice(0, result.lastIndexOf(".") + 1)}error.txt`;

/**
 * Reads the results of a map's items with `read`. The map steps tolerate failures, so this throws EtlError with the
 * reasons if any result is missing. `failed` describes these items in the message.
 */
export async function readResults<T>(
  store: ObjectStore,
  keys: readonly string[],
  failed: string,
  read: (key: string) => Promise<T | undefined>,
): Promise<T[]> {
  const results = await concurrently(keys, TRANSFERS, read);
  const missing = keys.filter((_, index) => results[index] === undefined);
  if (missing.length === 0) return results.flatMap((result) => result ?? []);
  const reasons = await concurrently(missing.slice(0, 5), TRANSFERS, async (key) => {
    const name = key.replace(/^.*\/(?:days|results)\/|\.\w+$/g, "");
    return `${name}: ${(await readText(store, errorKey(key))) ?? "it left no reason; see the function's log"}`;
  });
  throw new EtlError(`${missing.length} of ${keys.length} ${failed}. ${reasons.join("; ")}`);
}
