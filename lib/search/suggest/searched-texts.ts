import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { download, listed, type ObjectStore } from "../../platform/aws/object-store.ts";
import { PREFIXES } from "../../platform/naming/object-keys.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import { type Database, type DatabaseLimits, literal, literals, withDatabase } from "../../platform/sql/database.ts";
import { shownText, textKey } from "../../platform/words.ts";
import type { SuggestSettings } from "../gateway/settings.ts";
import type { Suggestion } from "./suggestion.ts";
import { MAX_SUGGESTED } from "./texts.ts";

/** Settings for reading the searches of an index. */
export type SearchesOf = NonNullable<SuggestSettings["searches"]> & { index: string };

export interface LogOptions {
  store: ObjectStore;
  /** `memoryMb` and `folder` limit the resources for a long log. */
  limits: DatabaseLimits;
  now: Date;
  /** Deadline for reading, in milliseconds since the epoch; older days are left out after it. */
  until: number;
}

/** The texts of one index, most searched first. Only texts with hits for most users. */
export interface SearchedTexts {
  texts: Suggestion[];
  /** Number of days that were read, latest first. */
  days: number;
  /** Unreadable objects of the log that were left out, over all indexes. */
  damaged: number;
}

const DAY_MS = 86_400_000;
/** Objects that are downloaded, and then read, at a time. */
const AT_ONCE = 16;
const GZIP_MAGIC = 0x1f8b;
/** The most texts of an index. The most searched ones stay. */
const MOST_TEXTS = 1_000_000;

/**
 * Returns the texts that enough users searched for in each index, by the request log in the bucket. A user counts once
 * per text, by the latest search: repeating a search does not make it more popular. Equal texts are one, in the spelling
 * of most users. Throws if objects cannot be read
 * for another reason than their content, or if no object can be read: suggestions without searches would replace better
 * ones.
 */
export async function searchedTexts(
  indexes: readonly SearchesOf[],
  { store, limits, now, until }: LogOptions,
): Promise<Map<string, SearchedTexts>> {
  return withDatabase(limits, async (database) => {
    database.define("text_key", textKey);
    await database.run(
      "CREATE TABLE person (index_name VARCHAR, key VARCHAR, text VARCHAR, person VARCHAR, latest DOUBLE, has_hits BOOLEAN)",
    );
    const names = literals(indexes.map(({ index }) => index));
    const most = Math.max(...indexes.map(({ days }) => days));
    let read = 0;
    let objects = 0;
    let damaged = 0;
    // A line may arrive on the day after it was written.
    for (const day of daysBefore(now, most + 1)) {
      if (Date.now() > until) break;
      const added = await addDay(database, { store, day, names });
      objects += added.objects;
      damaged += added.damaged;
      read += 1;
    }
    if (damaged > 0 && damaged === objects) {
      throw new Error(`None of the ${objects} objects of the request log can be read: all are damaged`);
    }
    const found = new Map<string, SearchedTexts>();
    for (const one of indexes) {
      found.set(one.index, { texts: await textsOf(database, one, now), days: Math.min(one.days, read), damaged });
    }
    return found;
  });
}

/** Returns days of arrival, latest first, in the form of folder names. */
const daysBefore = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, ago) => new Date(now.getTime() - ago * DAY_MS).toISOString().slice(0, 10));

interface Day {
  store: ObjectStore;
  day: string;
  names: string;
}

/** Adds the searches of one day, in parts that fit on the disk. Returns the number of objects. */
async function addDay(database: Database, { store, day, names }: Day): Promise<{ objects: number; damaged: number }> {
  let objects = 0;
  let damaged = 0;
  const keys = (await listed(store, `${PREFIXES.searchLogs}day=${day}/`)).map(({ key }) => key);
  for (let start = 0; start < keys.length; start += AT_ONCE) {
    const part = keys
      .slice(start, start + AT_ONCE)
      .map((key, index) => ({ key, path: join(database.folder, `${index}`) }));
    const files = (await concurrently(part, AT_ONCE, ({ key, path }) => downloaded(store, key, path))).flat();
    objects += files.length;
    damaged += await addFiles(database, files, names);
    for (const file of files) await rm(file);
  }
  return { objects, damaged };
}

/**
 * DuckDB's errors for unreadable content of a file. Any other error is a fault of the machine or statement, so another
 * run may succeed.
 */
const DAMAGED = /^(?:Invalid Input Error|IO Error: [^:"]*gzip)/i;

/** Adds the lines of files; one by one if a file's content is damaged. Returns the number of damaged files. */
async function addFiles(database: Database, files: readonly string[], names: string): Promise<number> {
  if (files.length === 0) return 0;
  try {
    await database.run(insertOf(files, names));
    return 0;
  } catch (error) {
    if (!(error instanceof Error && DAMAGED.test(error.message))) throw error;
    if (files.length === 1) return 1;
  }
  let damaged = 0;
  for (const file of files) damaged += await addFiles(database, [file], names);
  return damaged;
}

/** Downloads an object. Returns its file; none if the object has expired or was emptied by `relevance forget`. */
async function downloaded(store: ObjectStore, key: string, path: string): Promise<string[]> {
  if (!(await download(store, key, path))) return [];
  // DuckDB recognizes compressed files by their names.
  const file = `${path}.${(await isGzip(path)) ? "gz" : "jsonl"}`;
  await rename(path, file);
  return [file];
}

async function isGzip(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.readUInt16BE() === GZIP_MAGIC;
  } finally {
    await handle.close();
  }
}

const COLUMNS =
  `user_id: 'VARCHAR', user_query: 'VARCHAR', query_attributes: 'STRUCT("index" VARCHAR)', timestamp: 'VARCHAR', ` +
  "total: 'BIGINT', query_response_hit_ids: 'VARCHAR[]'";

/** Returns the statement that adds the lines of files: for each person and text the latest search. */
const insertOf = (files: readonly string[], names: string): string => `
  INSERT INTO person
  SELECT query_attributes."index" AS index_name, key, arg_max(user_query, moment), user_id, max(moment),
    arg_max(has_hits, moment)
  FROM (
    SELECT *, text_key(user_query) AS key, epoch(try_cast(timestamp AS TIMESTAMPTZ)) AS moment,
      -- Hits of another text, which were shown in place of none, have a total of 0.
      coalesce(total > 0, len(query_response_hit_ids) > 0, false) AS has_hits
    FROM read_json(${literals(files)}, format = 'newline_delimited', ignore_errors = true, compression = 'auto_detect',
      maximum_object_size = 1048576, columns = {${COLUMNS}})
    WHERE user_id IS NOT NULL AND user_query IS NOT NULL AND length(user_query) <= ${MAX_SUGGESTED}
      AND list_contains(${names}, query_attributes."index")
  )
  WHERE moment IS NOT NULL AND NOT regexp_full_match(key, '[\\p{Ll}\\p{N}]?')
  GROUP BY index_name, key, user_id`;

async function textsOf(
  database: Database,
  { index, days, min_users, half_life_days }: SearchesOf,
  now: Date,
): Promise<Suggestion[]> {
  const at = now.getTime() / 1_000;
  const rows = await database.rows(`
    WITH each AS (
      SELECT key, person, max(latest) AS moment, arg_max(text, latest) AS text, arg_max(has_hits, latest) AS has_hits
      FROM person WHERE index_name = ${literal(index)} AND latest >= ${at - days * 86_400} GROUP BY key, person
    ), spelling AS (
      SELECT key, text, count(*) AS users FROM each WHERE has_hits GROUP BY key, text
    )
    SELECT (SELECT arg_max(text, (users, text)) FROM spelling WHERE spelling.key = each.key) AS text,
      sum(pow(0.5, greatest(0, ${at} - moment) / ${half_life_days * 86_400})) FILTER (has_hits) AS weight
    FROM each GROUP BY key HAVING count_if(has_hits) >= ${min_users} AND 2 * count_if(has_hits) > count(*)
    ORDER BY weight DESC, text LIMIT ${MOST_TEXTS}`);
  return rows.map(({ text, weight }) => ({
    text: shownText(String(text)).toLowerCase().normalize("NFKC").replaceAll("i\u0307", "i"),
    ...{ source: "searches", weight: Number(weight) },
  }));
}
