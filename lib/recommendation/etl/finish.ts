import type { ObjectStore } from "../../aws/object-store.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { EtlError } from "./etl-error.ts";
import { sums, totalOf } from "./event-checks.ts";
import { runKeys, sharedKeys } from "./keys.ts";
import type { Manifest } from "./manifest.ts";
import { type PopularItems, type PopularItemsStore, popularItems } from "./popular-items.ts";
import {
  RunPlan,
  readFile,
  readGroups,
  readResults,
  ScanResult,
  ShardResult,
  TRANSFERS,
  type Written,
  writeFile,
} from "./run-files.ts";

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
 * Runs after the maps. They tolerate failures, so this step fails with the reasons if any result is missing. Otherwise it
 * writes the popular items and finally the manifest.
 */
export async function finish(run: string, store: ObjectStore, popular: PopularItemsStore): Promise<FinishOutput> {
  const keys = runKeys(run);
  const plan = await readFile(store, keys.plan, RunPlan);
  const groups = await readGroups(store, plan.groups);
  const shards = await readResults(store, plan.shards, ShardResult, "shards of events were not written");
  const segments = await readResults(store, plan.segments, ScanResult, "table segments were not read to their end");

  const found: PopularItems = { run, items: popularItems(shards.map(({ items }) => items)) };
  await writeFile(store, keys.popularItems, found);
  await popular.write(found);

  const dataset = (
    name: "user" | "item" | "interaction",
    written: readonly Written[],
    rejecting: readonly Pick<Written, "rejected" | "rejects">[] = written,
  ) => ({
    folder: keys.folder(name),
    files: written.flatMap(({ files }) => files),
    rows: sum(written, ({ rows }) => rows),
    rejected: sum(rejecting, ({ rejected }) => rejected),
    rejects: rejecting.flatMap(({ rejects }) => rejects),
  });
  const table = (name: "user" | "item") =>
    dataset(
      name,
      segments.filter((segment) => segment.dataset === name),
    );
  const manifest: Manifest = {
    version: 1,
    run,
    mode: plan.mode,
    from: plan.days[0] ?? "",
    to: plan.days.at(-1) ?? "",
    user: table("user"),
    item: table("item"),
    interaction: dataset("interaction", shards, groups),
    duplicates: sum(shards, ({ duplicates }) => duplicates),
    impressions_left_out: sum(shards, ({ impressions_left_out }) => impressions_left_out),
    event_types: Object.fromEntries(sums(shards.flatMap(({ event_types }) => Object.entries(event_types)))),
    checks: plan.checks.map(({ name }, index) =>
      totalOf(
        name,
        shards.flatMap(({ checks }) => checks[index] ?? []),
      ),
    ),
  };
  const transformed = sum(groups, ({ rows }) => rows);
  if (manifest.interaction.rows + manifest.duplicates !== transformed) {
    throw new EtlError(
      `${transformed} events were transformed, but ${manifest.interaction.rows} were written and ${manifest.duplicates} ` +
        "dropped as duplicates: start the run again, and report this when it happens twice",
    );
  }
  const datasets = [manifest.user, manifest.item, manifest.interaction];
  // What earlier attempts left in the folders to import.
  const imported = new Set(datasets.flatMap(({ files }) => files.map(({ key }) => key)));
  for (const { folder } of datasets) await removeOthers(store, folder, imported);
  await writeFile(store, keys.manifest, manifest);
  // Outdated groups. Only now, so that an interruption loses nothing.
  const current = new Set([
    ...plan.groups,
    ...groups.flatMap(({ files, rejects }) => [...rejects, ...files.map(({ key }) => key)]),
  ]);
  await concurrently(plan.days, TRANSFERS, (day) => removeOthers(store, sharedKeys.groups(day), current));
  return {
    manifestKey: keys.manifest,
    interactions: manifest.interaction.rows,
    users: manifest.user.rows,
    items: manifest.item.rows,
    rejected: sum(datasets, ({ rejected }) => rejected),
  };
}

/** Removes all objects of a folder but those named. */
async function removeOthers(store: ObjectStore, folder: string, kept: ReadonlySet<string>): Promise<void> {
  let keys: string[] = [];
  for await (const { key } of store.list(folder)) {
    if (!kept.has(key)) keys.push(key);
    if (keys.length < REMOVED_AT_ONCE) continue;
    await store.remove(keys);
    keys = [];
  }
  if (keys.length > 0) await store.remove(keys);
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}
