import { basename, join } from "node:path";
import * as v from "valibot";
import type { ObjectStore } from "../../aws/object-store.ts";
import type { Dataset } from "../../config/avro.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { LISTED_USERS } from "./deduplicate.ts";
import { allRows, type Engine } from "./engine.ts";
import { EtlError } from "./etl-error.ts";
import { download, listed, removeOthers } from "./files.ts";
import { runKeys, sharedKeys } from "./keys.ts";
import type { Manifest } from "./manifest.ts";
import {
  DeduplicateTask,
  RunPlan,
  readFile,
  readGroups,
  readResults,
  readSegments,
  sum,
  TRANSFERS,
  writeFile,
} from "./run-files.ts";
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
export async function finish(
  run: string,
  store: ObjectStore,
  popular: PopularItemsStore,
  engine: Engine,
): Promise<FinishOutput> {
  const keys = runKeys(run);
  const plan = await readFile(store, keys.plan, RunPlan);
  const shards = await readFile(store, keys.shards, v.array(DeduplicateTask));
  const groups = await readGroups(store, plan.groups);
  const segments = await readSegments(store, plan.segments);
  const reports = shards.map(({ result }) => result);
  const files = await readResults(store, reports, "shards of events were not written", async (key) => {
    const file = join(engine.folder, basename(key));
    return (await download(store, key, file)) ? file : undefined;
  });
  const { sums, checks } = await totals(files, engine);

  const items = (await sums("item")).slice(0, POPULAR_ITEMS).map(([item_id, events]) => ({ item_id, events }));
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
  const one = async (kind: string) => (await sums(kind))[0]?.[1] ?? 0;
  const rejects = plan.groups.filter((_, index) => groups[index]?.rejected).map(sharedKeys.rejects);
  const hasImpression = plan.definitions.schemas.interaction.fields.some(({ name }) => name === "IMPRESSION");
  const manifest: Manifest = {
    run,
    mode: plan.mode,
    from: plan.days[0] ?? "",
    to: plan.days.at(-1) ?? "",
    user: await table("user"),
    item: await table("item"),
    interaction: await dataset("interaction", groups, await one("event"), rejects),
    duplicates: await one("duplicate"),
    impressions_left_out: hasImpression && plan.mode === "init" ? await one("impression") : 0,
    event_types: Object.fromEntries(await sums("type")),
    checks: checks.map((counts, index) => ({ name: plan.checks[index]?.name ?? "", ...counts })),
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
    ...groups.flatMap(({ of, partitions }, index) =>
      partitions.map((partition) => sharedKeys.rows(plan.groups[index] ?? "", of, partition)),
    ),
  ]);
  await concurrently(plan.days, TRANSFERS, (day) => removeOthers(store, sharedKeys.groups(day), current));
  return {
    manifestKey: keys.manifest,
    interactions: interaction.rows,
    users: user.rows,
    items: item.rows,
    rejected: sum([user, item, interaction], ({ rejected }) => rejected),
  };
}

/** Adds up the reports of all shards. Sums of a kind have the highest first, and equal ones in the order of their names. */
export async function totals(reports: readonly string[], engine: Engine) {
  await engine.run(sql("totals", { files: literals(reports), users: LISTED_USERS }));
  const sums = async (kind: string) => {
    const rows = await allRows(
      engine,
      `SELECT name, sum(events)::DOUBLE AS events FROM report WHERE kind = ${literal(kind)}
       GROUP BY name ORDER BY events DESC, name LIMIT ${POPULAR_ITEMS}`,
    );
    return rows.map(({ name, events }): [string, number] => [String(name), Number(events)]);
  };
  const checks = (await allRows(engine, "FROM checked")).map((check) => ({
    interactions: Number(check.interactions),
    users: Number(check.users),
    users_with_two: Number(check.users_with_two),
    exact: check.exact === true,
  }));
  return { sums, checks };
}
