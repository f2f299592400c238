import { basename, join } from "node:path";
import { download, listed, type ObjectStore, removeOthers } from "../../platform/aws/object-store.ts";
import type { Dataset, ProfileDataset } from "../../platform/contract/recommendation.ts";
import { PREFIXES } from "../../platform/naming/object-keys.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import { type Database, literal, literals } from "../../platform/sql/database.ts";
import { sum } from "../../platform/sum.ts";
import type { PopularItems, PopularItemsStore } from "../clients/dynamo-tables.ts";
import {
  EtlError,
  findFile,
  LISTED_ITEMS,
  readFile,
  readResults,
  runKeys,
  sharedKeys,
  TRANSFERS,
  writeFile,
} from "./run-files.ts";
import { sql } from "./sql.ts";
import { Counts, type Manifest, RunPlan } from "./tasks.ts";

/**
 * Sums over the shards: counts of the manifest, numbers of interactions to import and of all events, and popular items.
 */
type Totals = Omit<Manifest, "run" | "mode" | "from" | "to" | "unknown" | Dataset> & {
  interactions: number;
  events: number;
  popular: PopularItems["items"];
};

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
  const { mode, days, definitions, checks, groups, segments, shards } = await readFile(store, keys.plan, RunPlan);
  const read = await readResults(store, [...groups, ...segments], "parts of the data were not read", async (key) => {
    const counts = await findFile(store, key, Counts);
    return counts && { key, ...counts };
  });
  const reports = await readResults(store, shards, "shards of events were not written", async (key) => {
    const file = join(engine.folder, basename(key));
    return (await download(store, key, file)) ? file : undefined;
  });
  const values = { files: literals(reports), names: literals(checks.map(({ name }) => name)), items: LISTED_ITEMS };
  const [row] = await engine.rows(sql("totals", values));
  const { interactions, events: written, popular, ...totals }: Totals = JSON.parse(String(row?.totals));

  const dataset = async (name: Dataset, results: string) => {
    const counts = read.filter(({ key }) => key.startsWith(results));
    return {
      folder: keys.folder(name),
      files: (await listed(store, keys.folder(name))).map(({ key, size }) => ({ key, bytes: size })),
      rows: sum(counts, ({ rows }) => rows),
      rejected: sum(counts, ({ rejected }) => rejected),
      rejects: (await listed(store, keys.rejects(name))).map(({ key }) => key),
    };
  };
  const user = await dataset("user", keys.segments("user"));
  const item = await dataset("item", keys.segments("item"));
  const events = await dataset("interaction", PREFIXES.etlDays);
  if (written + totals.duplicates !== events.rows) {
    throw new EtlError(
      `${events.rows} events were transformed, but ${written} were written and ${totals.duplicates} dropped as ` +
        "duplicates: start the run again, and report this when it happens twice",
    );
  }
  const unknown = await unknownIds(run, user.rows > 0, reports, store, engine);
  const newest = await newestItems(run, store, engine);
  const lists: PopularItems = { run, items: popular, newest, eventTypes: Object.keys(totals.event_types) };
  await writeFile(store, keys.popularItems, lists);
  await popularItems.write(lists);

  const rejects = read.filter(({ key, rejected }) => groups.includes(key) && rejected > 0);
  const interaction = { ...events, rows: interactions, rejects: rejects.map(({ key }) => sharedKeys.rejects(key)) };
  const [from = "", to = ""] = [days[0], days.at(-1)];
  const manifest: Manifest = { run, mode, from, to, user, item, interaction, ...totals, unknown };
  const hasImpression = definitions.schemas.interaction.fields.some(({ name }) => name === "IMPRESSION");
  if (!hasImpression || mode !== "init") manifest.impressions_left_out = 0;
  await writeFile(store, keys.manifest, manifest);
  // Removes outdated groups. This comes last, so that an interruption loses nothing.
  const current = new Set(groups.flatMap(sharedKeys.files));
  await concurrently(days, TRANSFERS, (day) => removeOthers(store, sharedKeys.groups(day), current));
  return { interactions, rejected: sum(read, ({ rejected }) => rejected) };
}

/** Returns the newest items of all table files; none if items have no creation time. */
async function newestItems(run: string, store: ObjectStore, engine: Database): Promise<string[]> {
  const files = await concurrently(await listed(store, runKeys(run).newest), TRANSFERS, async ({ key }) => {
    const file = join(engine.folder, basename(key));
    await download(store, key, file);
    return file;
  });
  if (files.length === 0) return [];
  const rows = await engine.rows(
    `SELECT item FROM read_parquet(${literals(files)}) ORDER BY created DESC, item LIMIT ${LISTED_ITEMS}`,
  );
  return rows.map(({ item }) => String(item));
}

/** Counts events that name items and users that are not stored; zero users if none are stored. */
async function unknownIds(
  run: string,
  hasUsers: boolean,
  reports: readonly string[],
  store: ObjectStore,
  engine: Database,
): Promise<Manifest["unknown"]> {
  const empty = join(engine.folder, "no-ids.parquet");
  await engine.run(`COPY (SELECT 0::UBIGINT AS id WHERE false) TO ${literal(empty)} (FORMAT parquet)`);
  const hashes = async (dataset: ProfileDataset) => {
    const keys = (await listed(store, runKeys(run).ids(dataset))).map(({ key }) => key);
    const files = await concurrently(keys, TRANSFERS, async (key) => {
      const file = join(engine.folder, basename(key));
      await download(store, key, file);
      return file;
    });
    return literals([...files, empty]);
  };
  const [users, items] = [await hashes("user"), await hashes("item")];
  const [row] = await engine.rows(sql("unknown", { files: literals(reports), users, items }));
  const unknown: Manifest["unknown"] = JSON.parse(String(row?.unknown));
  return hasUsers ? unknown : { ...unknown, users: 0 };
}
