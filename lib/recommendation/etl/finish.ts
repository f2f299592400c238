import * as v from "valibot";
import { type ObjectStore, readText } from "../../aws/object-store.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { EtlError } from "./etl-error.ts";
import { totalOf } from "./event-checks.ts";
import { runKeys, sharedKeys } from "./keys.ts";
import type { Manifest } from "./manifest.ts";
import { type PopularItems, type PopularItemsStore, popularItems } from "./popular-items.ts";
import {
  Day,
  DeduplicateTask,
  findFile,
  GroupResult,
  readFile,
  ScanResult,
  ScanTask,
  ShardResult,
  writeFile,
} from "./run-files.ts";
import { RunSettings } from "./settings.ts";

const READS = 16;

/** The most keys in one call to remove objects. */
const REMOVED_AT_ONCE = 1_000;

/** The result of ETL. It is small enough for the state of an execution. */
export interface FinishOutput {
  manifestKey: string;
  interactions: number;
  users: number;
  items: number;
  rejected: number;
}

/**
 * Runs after the shards and scans. The map steps tolerate failures, so this step fails with the reasons if any shard or
 * scan is incomplete. Otherwise it writes the popular items and finally the manifest.
 */
export async function finish(run: string, store: ObjectStore, popular: PopularItemsStore): Promise<FinishOutput> {
  const keys = runKeys(run);
  const settings = await readFile(store, keys.settings, RunSettings);
  const days = await readFile(store, keys.days, v.array(Day));
  const shards = await shardResults(run, store);
  const groups = await concurrently(
    days.flatMap(({ day, groups }) => groups.map((digest) => sharedKeys.group(day, digest))),
    READS,
    (key) => readFile(store, key, GroupResult),
  );
  const scans = await scanResults(run, store);

  const found: PopularItems = { run, items: popularItems(shards.map(({ items }) => items)) };
  await writeFile(store, keys.popularItems, found);
  await popular.write(found);

  const eventTypes: Record<string, number> = {};
  for (const { event_types } of shards) {
    for (const [type, rows] of Object.entries(event_types)) eventTypes[type] = (eventTypes[type] ?? 0) + rows;
  }
  const table = (dataset: "user" | "item") => {
    const results = scans.filter((scan) => scan.dataset === dataset).map(({ result }) => result);
    return {
      folder: keys.folder(dataset),
      files: results.flatMap(({ file }) => file ?? []),
      rows: sum(results, ({ rows }) => rows),
      rejected: sum(results, ({ rejected }) => rejected),
      rejects: results.flatMap(({ rejects }) => rejects ?? []),
    };
  };
  const manifest: Manifest = {
    version: 1,
    run,
    mode: settings.mode,
    from: settings.days[0] ?? "",
    to: settings.days.at(-1) ?? "",
    user: table("user"),
    item: table("item"),
    interaction: {
      folder: keys.folder("interaction"),
      files: shards.flatMap(({ files }) => files),
      rows: sum(shards, ({ rows }) => rows),
      rejected: sum(groups, ({ rejected }) => rejected),
      rejects: groups.flatMap(({ rejects }) => rejects),
    },
    duplicates: sum(shards, ({ duplicates }) => duplicates),
    impressions_left_out: sum(shards, ({ impressions_left_out }) => impressions_left_out),
    event_types: Object.fromEntries(Object.entries(eventTypes).sort(([a], [b]) => (a < b ? -1 : 1))),
    checks: settings.checks.map(({ name }, index) =>
      totalOf(
        name,
        shards.flatMap(({ checks }) => checks[index] ?? []),
      ),
    ),
  };
  checkCounts(
    manifest,
    sum(groups, ({ rows }) => rows),
  );
  await removeStrays(manifest, store);
  await writeFile(store, keys.manifest, manifest);
  await removeSuperseded(days, store);
  return {
    manifestKey: keys.manifest,
    interactions: manifest.interaction.rows,
    users: manifest.user.rows,
    items: manifest.item.rows,
    rejected: manifest.interaction.rejected + manifest.user.rejected + manifest.item.rejected,
  };
}

async function shardResults(run: string, store: ObjectStore): Promise<ShardResult[]> {
  const keys = runKeys(run);
  const tasks = await readFile(store, keys.shards, v.array(DeduplicateTask));
  const results = await concurrently(tasks, READS, ({ shard }) =>
    findFile(store, keys.shardResult(shard), ShardResult),
  );
  const missing = tasks.filter((_, index) => !results[index]);
  if (missing.length > 0) {
    const errors = await reasons(
      store,
      missing.map(({ shard }) => keys.shardError(shard)),
    );
    throw new EtlError(`${missing.length} of ${tasks.length} shards of events were not written. ${errors}`);
  }
  return results.flatMap((result) => result ?? []);
}

interface Scanned {
  dataset: "user" | "item";
  result: ScanResult;
}

async function scanResults(run: string, store: ObjectStore): Promise<Scanned[]> {
  const keys = runKeys(run);
  const tasks = await readFile(store, keys.scans, v.array(ScanTask));
  const results = await concurrently(tasks, READS, async ({ dataset, segment }) => {
    const parts: Scanned[] = [];
    for (let part = 0; ; part += 1) {
      const result = await findFile(store, keys.scanResult(dataset, segment, part), ScanResult);
      if (!result) return undefined;
      parts.push({ dataset, result });
      if (result.done) return parts;
    }
  });
  const missing = tasks.filter((_, index) => !results[index]);
  if (missing.length > 0) {
    const errors = await reasons(
      store,
      missing.map(({ dataset, segment }) => keys.scanError(dataset, segment)),
    );
    throw new EtlError(`${missing.length} of ${tasks.length} table segments were not read to their end. ${errors}`);
  }
  return results.flatMap((parts) => parts ?? []);
}

async function reasons(store: ObjectStore, keys: readonly string[]): Promise<string> {
  const texts = await concurrently(keys.slice(0, 5), READS, async (key) => {
    const name = key.slice(key.lastIndexOf("/") + 1).replace(".error.json", "");
    return `${name}: ${(await readText(store, key)) ?? "it left no reason; see the function's log"}`;
  });
  return texts.join("; ");
}

function checkCounts(manifest: Manifest, transformed: number): void {
  const accounted = manifest.interaction.rows + manifest.duplicates;
  if (accounted === transformed) return;
  throw new EtlError(
    `${transformed} events were transformed, but ${manifest.interaction.rows} were written and ${manifest.duplicates} ` +
      "dropped as duplicates: start the run again, and report this when it happens twice",
  );
}

/** Removes files that earlier attempts left in the folders to import. */
async function removeStrays(manifest: Manifest, store: ObjectStore): Promise<void> {
  for (const { folder, files } of [manifest.user, manifest.item, manifest.interaction]) {
    const listed = new Set(files.map(({ key }) => key));
    await removeWhere(store, folder, (key) => !listed.has(key));
  }
}

/** Removes outdated groups of each day. Runs after the manifest is written, so that an interruption loses nothing. */
async function removeSuperseded(days: readonly Day[], store: ObjectStore): Promise<void> {
  await concurrently(days, READS, ({ day, groups }) => {
    const folder = sharedKeys.groups(day);
    const current = new Set(groups);
    return removeWhere(store, folder, (key) => !current.has(/^[0-9a-f]+/.exec(key.slice(folder.length))?.[0] ?? ""));
  });
}

async function removeWhere(store: ObjectStore, prefix: string, wrong: (key: string) => boolean): Promise<void> {
  let keys: string[] = [];
  for await (const { key } of store.list(prefix)) {
    if (wrong(key)) keys.push(key);
    if (keys.length < REMOVED_AT_ONCE) continue;
    await store.remove(keys);
    keys = [];
  }
  if (keys.length > 0) await store.remove(keys);
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}
