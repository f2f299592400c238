import * as v from "valibot";
import { type ObjectStore, readText } from "../../aws/object-store.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { runKeys } from "./keys.ts";
import { Manifest } from "./tasks.ts";

/** An ETL failure that a retry cannot fix. The execution reports the message as its cause. */
export class EtlError extends Error {
  override name = "EtlError";
}

/** How many objects to transfer in parallel. */
export const TRANSFERS = 16;

/** Adds up a number of each value. */
export function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}

/** Reads a file of a run. Undefined if it does not exist. Throws EtlError if it does not match the schema. */
export async function findFile<T>(
  store: ObjectStore,
  key: string,
  schema: v.GenericSchema<unknown, T>,
): Promise<T | undefined> {
  const text = await readText(store, key);
  if (text === undefined) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
  if (read.success) return read.output;
  throw new EtlError(`${key} is not what this version of ETL writes: ${v.summarize(read.issues)}`);
}

/** Reads a file that an earlier step of the run wrote. Throws EtlError if it is missing or invalid. */
export async function readFile<T>(store: ObjectStore, key: string, schema: v.GenericSchema<unknown, T>): Promise<T> {
  const content = await findFile(store, key, schema);
  if (content === undefined) throw new EtlError(`${key} is missing: was the step before it run?`);
  return content;
}

/** Reads the manifest of a run. Undefined if the run is incomplete. */
export const readManifest = (store: ObjectStore, run: string) => findFile(store, runKeys(run).manifest, Manifest);

/** Writes a file of a run. */
export const writeFile = (store: ObjectStore, key: string, content: unknown): Promise<void> =>
  store.write(key, JSON.stringify(content));

/** Replaces an object by a file, or removes it: a repeated call leaves nothing of an earlier attempt. */
export const replace = (store: ObjectStore, key: string, file: string | false): Promise<void> =>
  file === false ? store.remove([key]) : store.write(key, { file });

/** Returns the key where a map's item leaves the reason why it has no result. */
export const errorKey = (result: string) => `${result.slice(0, result.lastIndexOf(".") + 1)}error.txt`;

/**
 * Reads the results of a map's items with `read`. The map steps tolerate failures, so this throws EtlError with the
 * reasons if any result is missing. `failed` says what happened to those.
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
