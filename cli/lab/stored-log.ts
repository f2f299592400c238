import { globSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Command } from "commander";
import * as v from "valibot";
import type { StoredLog } from "../../lab/clicks/database.ts";
import type { RecommendationLog } from "../../lab/recommendations/database.ts";
import type { ObjectStore } from "../../lib/aws/object-store.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";
import { concurrently } from "../../lib/core/resilience/concurrently.ts";
import { type Context, confOf, type OptionsOf } from "../command.ts";
import { Failure, UsageError } from "../errors.ts";
import { openAccount, reading } from "../recommendation/target.ts";
import { openSession } from "../session.ts";

const DAY_MS = 86_400_000;
/** Objects that are downloaded at a time. */
const AT_ONCE = 8;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The options of commands that read the stored request log; {@link defineLogOptions} adds them. */
export const logOptions = {
  days: v.pipe(v.string(), v.regex(/^[1-9]\d{0,3}$/, "must be a number of days from 1 to 9999"), v.transform(Number)),
  files: v.optional(v.pipe(v.string(), v.nonEmpty("needs a folder"))),
  local: v.optional(v.boolean(), false),
};

type LogOptions = { conf: string } & OptionsOf<typeof logOptions>;

/** Adds the options of {@link logOptions} to a command. */
export function defineLogOptions(command: Command): void {
  command
    .option("--days <number>", "number of days of the request log to read", "30")
    .option("--files <folder>", "a copy of logs/ of the bucket, with search/ and events/ (default: the bucket itself)")
    .option("--local", "read the bucket of `make dev`");
}

/** The stored lines of a period. */
export interface LogOfPeriod<Log = StoredLog> {
  log: Log;
  from: Date;
  until: Date;
}

/** What a command reads: objects by day of arrival. */
interface LogPart {
  /** Prefix in the bucket. */
  prefix: string;
  /** Folder of a copy. */
  copy: string;
  /** Returns the folder of a day, which is written as in 2026-11-20. */
  folderOf: (day: string) => string;
}

const byDay = (day: string) => `day=${day}/`;

/** The request log of searches and the events that followed. */
const SEARCHES = {
  searches: { prefix: PREFIXES.searchLogs, copy: "search", folderOf: byDay },
  events: { prefix: PREFIXES.searchEvents, copy: "events", folderOf: byDay },
};

/** The request log of recommendations and the events of the service. */
const RECOMMENDATIONS = {
  answers: { prefix: PREFIXES.recommendationLogs, copy: "logs/recommendations", folderOf: byDay },
  events: { prefix: PREFIXES.events, copy: "events", folderOf: (day: string) => `${day.replaceAll("-", "/")}/` },
};

type FilesOf<Parts> = { [Part in keyof Parts]: string[] };

/**
 * Runs work with the stored request log of searches and their events of the last days. Downloads them into a temporary
 * folder, which it removes, unless `files` names a copy. Throws Failure and UsageError.
 */
export function withStoredLog<T>(
  options: LogOptions,
  context: Context,
  work: (log: LogOfPeriod) => Promise<T>,
): Promise<T> {
  const missing = ({ searchGateway }: Configuration) =>
    searchGateway ? undefined : "project.yaml has no search gateway, so there is no request log";
  return withFiles(
    options,
    context,
    { parts: SEARCHES, needed: "searches", copied: "logs/ of the bucket", missing },
    work,
  );
}

/** Does the same with the request log of recommendations and the service's events. */
export function withRecommendationLog<T>(
  options: LogOptions,
  context: Context,
  work: (log: LogOfPeriod<RecommendationLog>) => Promise<T>,
): Promise<T> {
  const missing = ({ recommendation }: Configuration) =>
    recommendation ? undefined : "project.yaml has no recommendation service, so there is no request log of it";
  return withFiles(
    options,
    context,
    { parts: RECOMMENDATIONS, needed: "answers", copied: "logs/ and events/ of the bucket", missing },
    work,
  );
}

interface Wanted<Parts> {
  parts: Parts;
  /** The part that a copy must have. */
  needed: keyof Parts & string;
  /** What to copy. */
  copied: string;
  /** Returns why a project has no such log; undefined if it has one. */
  missing: (config: Configuration) => string | undefined;
}

async function withFiles<T, Parts extends Readonly<Record<string, LogPart>>>(
  options: LogOptions,
  context: Context,
  wanted: Wanted<Parts>,
  work: (log: LogOfPeriod<FilesOf<Parts> & { scratch: string }>) => Promise<T>,
): Promise<T> {
  const until = new Date();
  const period = { from: new Date(until.getTime() - options.days * DAY_MS), until };
  const scratch = await mkdtemp(join(tmpdir(), "relevance-log-"));
  try {
    const files =
      options.files === undefined
        ? await downloadedLog(options, context, wanted, { ...period, scratch })
        : logIn(options.files, wanted);
    return await work({ log: { ...files, scratch }, ...period });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Downloads the log of a period from the bucket into a folder. Throws Failure and UsageError. */
async function downloadedLog<Parts extends Readonly<Record<string, LogPart>>>(
  options: LogOptions,
  context: Context,
  { parts, missing }: Wanted<Parts>,
  { scratch, ...period }: { from: Date; until: Date; scratch: string },
): Promise<FilesOf<Parts>> {
  const session = await openSession(confOf(options), context);
  const reason = missing(session.config);
  if (reason !== undefined) throw new UsageError(reason);
  const { names, sdk } = await openAccount(session, options.local);
  const [{ S3Client }, { s3ObjectStore }] = await Promise.all([
    import("@aws-sdk/client-s3"),
    import("../../lib/aws/s3-object-store.ts"),
  ]);
  const client = new S3Client({ ...sdk, maxAttempts: 1, ...("endpoint" in sdk && { forcePathStyle: true }) });
  const objects = s3ObjectStore(client, names.bucket());
  const days = daysOf(period);
  const files: [string, string[]][] = [];
  for (const [name, { prefix, folderOf }] of Object.entries(parts)) {
    const from = { prefix, folders: days.map(folderOf) };
    files.push([name, await reading("s3:GetObject", downloaded(objects, from, scratch))]);
  }
  const count = files.reduce((sum, [, of]) => sum + of.length, 0);
  context.terminal.note(`Downloaded ${count} objects of s3://${names.bucket()}/`);
  return Object.fromEntries(files) as FilesOf<Parts>;
}

/** Returns the files of a copy. Throws UsageError if it has none of the log. */
function logIn<Parts extends Readonly<Record<string, LogPart>>>(
  folder: string,
  { parts, needed, copied }: Wanted<Parts>,
): FilesOf<Parts> {
  const filesIn = (copy: string) =>
    globSync(`${copy}/**/*`, { cwd: folder })
      .map((path) => join(folder, path))
      .filter((path) => statSync(path).isFile())
      .toSorted();
  const log = Object.fromEntries(
    Object.entries(parts).map(([name, { copy }]) => [name, filesIn(copy)]),
  ) as FilesOf<Parts>;
  if (log[needed].length > 0) return log;
  throw new UsageError(`${folder} has no files in ${parts[needed]?.copy}/: copy ${copied} with "aws s3 sync"`);
}

/** Returns the days of arrival, as in names of folders: a line may arrive on the day after it was written. */
export function daysOf({ from, until }: { from: Date; until: Date }): string[] {
  const days: string[] = [];
  const first = Math.floor(from.getTime() / DAY_MS);
  const last = Math.floor(until.getTime() / DAY_MS) + 1;
  for (let day = first; day <= last; day += 1) days.push(new Date(day * DAY_MS).toISOString().slice(0, 10));
  return days;
}

/** Downloads the objects of folders below a prefix. Returns their files. */
export async function downloaded(
  objects: Pick<ObjectStore, "list" | "read">,
  { prefix, folders }: { prefix: string; folders: readonly string[] },
  folder: string,
): Promise<string[]> {
  const keys: string[] = [];
  for (const one of folders) for await (const { key } of objects.list(`${prefix}${one}`)) keys.push(key);
  return concurrently(
    keys.map((key, index) => ({ key, index })),
    AT_ONCE,
    async ({ key, index }) => {
      const stream = await objects.read(key);
      if (!stream) throw new Failure(`${key} expired while it was read: run the command again`);
      const body = await buffer(stream);
      // DuckDB tells compressed files by their names.
      const extension = body.subarray(0, 2).equals(GZIP_MAGIC) ? "gz" : "jsonl";
      const file = join(folder, `${prefix.replaceAll("/", "-")}${index}.${extension}`);
      await writeFile(file, body);
      return file;
    },
  );
}
