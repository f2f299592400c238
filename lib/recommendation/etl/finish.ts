import { basename, join } from "node:path";
import type { ObjectStore } from "../../aws/object-store.ts";
import type { Dataset } from "../../config/avro.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { LISTED_USERS } from "./deduplicate.ts";
import { allRows, type Engine } from "./engine.ts";
import { EtlError } from "./etl-error.ts";
import { download, listed, removeOthers } from "./files.ts";
import { runKeys, sharedKeys } from "./keys.ts";
import type { Manifest } from "./manifest.ts";
import { ReadData, RunPlan, readFile, readResults, sum, TRANSFERS, writeFile } from "./run-files.ts";
import { literal, literals, sql } from "./sql.ts";

/** Number of items to keep: the largest answer (500), plus as many again that may be excluded or inactive. */
const POPULAR_ITEMS = 1_000;

/** The popular items of the last ETL, most popular first. The API returns them if no campaign can answer. */
export interface PopularItems {
  run: string;
  items: { item_id: string; events: number }[];
}

/** The store from which the service reads popular items. Each write replaces the whole list. */
export interface PopularItemsStore {
  write(popular: PopularItems): Promise<void>;
}

/**
 * Runs after the maps. They tolerate failures, so this step fails with the reasons if any result is missing. Otherwise it
 * writes the popular items and finally the manifest.
 */
export async function finish(
  run: string,
  store: ObjectStore,
  popular: PopularItemsStore,
  engine: Engine,
): Promise<{ interactions: number; rejected: number }> {
  const keys = runKeys(run);
  const plan = await readFile(store, keys.plan, RunPlan);
  const { groups, segments, shards } = await readFile(store, keys.read, ReadData);
  const reports = Array.from({ length: shards }, (_, shard) => keys.shard(shard));
  const files = await readResults(store, reports, "shards of events were not written", async (key) => {
    const file = join(engine.folder, basename(key));
    return (await download(store, key, file)) ? file : undefined;
  });
  const counted = await totals(files, engine);
  const items = counted.items.map(([item_id, events]) => ({ item_id, events }));
  await writeFile(store, keys.popularItems, { run, items });
  await popular.write({ run, items });

  const dataset = async (name: Dataset, counts: readonly { rejected: number }[], rows: number, rejects: string[]) => ({
    folder: keys.folder(name),
    files: (await listed(store, keys.folder(name))).map(({ key, size }) => ({ key, bytes: size })),
    rows,
    rejected: sum(counts, ({ rejected }) => rejected),
    rejects,
  });
  const table = async (name: "user" | "item") => {
    const read = segments.filter((segment) => segment.dataset === name);
    const rejects = await listed(store, keys.rejects(name));
    return dataset(
      name,
      read,
      sum(read, ({ rows }) => rows),
      rejects.map(({ key }) => key),
    );
  };
  const rejects = groups.filter(({ rejected }) => rejected > 0).map(({ key }) => sharedKeys.rejects(key));
  const hasImpression = plan.definitions.schemas.interaction.fields.some(({ name }) => name === "IMPRESSION");
  const manifest: Manifest = {
    run,
    mode: plan.mode,
    from: plan.days[0] ?? "",
    to: plan.days.at(-1) ?? "",
    user: await table("user"),
    item: await table("item"),
    interaction: await dataset("interaction", groups, counted.events, rejects),
    duplicates: counted.duplicates,
    impressions_left_out: hasImpression && plan.mode === "init" ? counted.impressions : 0,
    event_types: Object.fromEntries(counted.types),
    checks: counted.checks.map((counts, index) => ({ name: plan.checks[index]?.name ?? "", ...counts })),
  };
  const { user, item, interaction, duplicates } = manifest;
  const transformed = sum(groups, ({ rows }) => rows);
  if (interaction.rows + duplicates !== transformed) {
    throw new EtlError(
      `${transformed} events were transformed, but ${interaction.rows} were written and ${duplicates} ` +
        "dropped as duplicates: start the run again, and report this when it happens twice",
    );
  }
  await writeFile(store, keys.manifest, manifest);
  // Outdated groups. Only now, so that an interruption loses nothing.
  const current = new Set([
    ...plan.groups,
    ...rejects,
    ...groups.flatMap(({ key, of, partitions }) => partitions.map((partition) => sharedKeys.rows(key, of, partition))),
  ]);
  await concurrently(plan.days, TRANSFERS, (day) => removeOthers(store, sharedKeys.groups(day), current));
  return {
    interactions: interaction.rows,
    rejected: sum([user, item, interaction], ({ rejected }) => rejected),
  };
}

/** Adds up the reports of all shards. Items and types have the highest first, equal ones in the order of their names. */
export async function totals(reports: readonly string[], engine: Engine) {
  await engine.run(sql("totals", { files: literals(reports), users: LISTED_USERS }));
  const sums = async (kind: string) => {
    const rows = await allRows(engine, `FROM total WHERE kind = ${literal(kind)} ORDER BY events DESC, name`);
    return rows.map(({ name, events }): [string, number] => [String(name), Number(events)]);
  };
  const one = async (kind: string) => (await sums(kind))[0]?.[1] ?? 0;
  return {
    events: await one("event"),
    duplicates: await one("duplicate"),
    impressions: await one("impression"),
    items: (await sums("item")).slice(0, POPULAR_ITEMS),
    types: await sums("type"),
    checks: (await allRows(engine, "FROM checked")).map(({ interactions, users, users_with_two, exact }) => ({
      ...{ interactions: Number(interactions), users: Number(users), users_with_two: Number(users_with_two) },
      exact: exact === true,
    })),
  };
}
