import { basename, join } from "node:path";
import { download, listed, type ObjectStore, removeOthers } from "../../aws/object-store.ts";
import type { Dataset } from "../../config/avro.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { type Database, literals } from "../../core/sql/database.ts";
import { sum } from "../../core/sum.ts";
import type { PopularItems, PopularItemsStore } from "../clients/dynamo-tables.ts";
import { EtlError, readFile, readResults, runKeys, sharedKeys, TRANSFERS, writeFile } from "./run-files.ts";
import { sql } from "./sql.ts";
import { type Manifest, ReadData, RunPlan } from "./tasks.ts";

/** Number of items to keep: the largest answer (500), plus as many again that may be excluded or inactive. */
const POPULAR_ITEMS = 1_000;

/**
 * Runs after the maps. They tolerate failures, so this step fails with the reasons if any result is missing. Otherwise it
 * writes the popular items and finally the manifest.
 */
export async function finish(
  run: string,
  store: ObjectStore,
  popularItems: PopularItemsStore,
  engine: Database,
): Promise<{ interactions: number; rejected: number }> {
  const keys = runKeys(run);
  const { mode, days, definitions, checks } = await readFile(store, keys.plan, RunPlan);
  const { groups, segments, shards } = await readFile(store, keys.read, ReadData);
  const reports = [...new Array(shards).keys()].map(keys.shard);
  const files = await readResults(store, reports, "shards of events were not written", async (key) => {
    const file = join(engine.folder, basename(key));
    return (await download(store, key, file)) ? file : undefined;
  });
  const names = checks.map(({ name }) => name);
  const { interactions, popular: items, ...counts } = await totals(files, names, engine);
  const transformed = sum(groups, ({ rows }) => rows);
  if (interactions + counts.duplicates !== transformed) {
    throw new EtlError(
      `${transformed} events were transformed, but ${interactions} were written and ${counts.duplicates} dropped as ` +
        "duplicates: start the run again, and report this when it happens twice",
    );
  }
  await writeFile(store, keys.popularItems, { run, items });
  await popularItems.write({ run, items });

  const dataset = async (name: Dataset) => {
    const read = name === "interaction" ? groups : segments.filter(({ dataset }) => dataset === name);
    return {
      folder: keys.folder(name),
      files: (await listed(store, keys.folder(name))).map(({ key, size }) => ({ key, bytes: size })),
      rows: sum<{ rows: number }>(read, ({ rows }) => rows),
      rejected: sum<{ rejected: number }>(read, ({ rejected }) => rejected),
      rejects: (await listed(store, keys.rejects(name))).map(({ key }) => key),
    };
  };
  const rejects = groups.filter(({ rejected }) => rejected > 0).map(({ key }) => sharedKeys.rejects(key));
  const manifest: Manifest = {
    run,
    mode,
    from: days[0] ?? "",
    to: days.at(-1) ?? "",
    user: await dataset("user"),
    item: await dataset("item"),
    interaction: { ...(await dataset("interaction")), rows: interactions, rejects },
    ...counts,
  };
  const hasImpression = definitions.schemas.interaction.fields.some(({ name }) => name === "IMPRESSION");
  if (!hasImpression || mode !== "init") manifest.impressions_left_out = 0;
  await writeFile(store, keys.manifest, manifest);
  // Outdated groups. Only now, so that an interruption loses nothing.
  const current = new Set(groups.flatMap(({ key, of }) => sharedKeys.files(key, of)));
  await concurrently(days, TRANSFERS, (day) => removeOthers(store, sharedKeys.groups(day), current));
  const { user, item, interaction } = manifest;
  return { interactions, rejected: sum([user, item, interaction], ({ rejected }) => rejected) };
}

/** What the shards report in all: the counts of the manifest, the number of all interactions, and the popular items. */
type Totals = Omit<Manifest, "run" | "mode" | "from" | "to" | Dataset> & {
  interactions: number;
  popular: PopularItems["items"];
};

/** Adds up the reports of all shards. `names` are those of the checks. */
export async function totals(reports: readonly string[], names: readonly string[], engine: Database): Promise<Totals> {
  const values = { files: literals(reports), names: literals(names), items: POPULAR_ITEMS };
  const [row] = await engine.rows(sql("totals", values));
  return JSON.parse(String(row?.totals));
}
