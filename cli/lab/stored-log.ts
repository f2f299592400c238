import { globSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Command } from "commander";
import * as v from "valibot";
import type { StoredLog } from "../../lab/clicks/database.ts";
import type { ObjectStore } from "../../lib/aws/object-store.ts";
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
export interface LogOfPeriod {
  log: StoredLog;
  from: Date;
  until: Date;
}

/**
 * Runs work with the stored request log and events of the last days. Downloads them into a temporary folder, which it
 * removes, unless `files` names a copy. Throws Failure and UsageError.
 */
export async function withStoredLog<T>(
  options: LogOptions,
  context: Context,
  work: (log: LogOfPeriod) => Promise<T>,
): Promise<T> {
  const until = new Date();
  const period = { from: new Date(until.getTime() - options.days * DAY_MS), until };
  const scratch = await mkdtemp(join(tmpdir(), "relevance-log-"));
  try {
    const files =
      options.files === undefined ? await downloadedLog(options, context, period, scratch) : logIn(options.files);
    return await work({ log: { ...files, scratch }, ...period });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

type LogFiles = Omit<StoredLog, "scratch">;

/** Downloads the log of a period from the bucket into a folder. Throws Failure and UsageError. */
async function downloadedLog(
  options: LogOptions,
  context: Context,
  period: Omit<LogOfPeriod, "log">,
  folder: string,
): Promise<LogFiles> {
  const session = await openSession(confOf(options), context);
  if (!session.config.searchGateway)
    throw new UsageError("project.yaml has no search gateway, so there is no request log");
  const { names, sdk } = await openAccount(session, options.local);
  const [{ S3Client }, { s3ObjectStore }] = await Promise.all([
    import("@aws-sdk/client-s3"),
    import("../../lib/aws/s3-object-store.ts"),
  ]);
  const client = new S3Client({ ...sdk, maxAttempts: 1, ...("endpoint" in sdk && { forcePathStyle: true }) });
  const objects = s3ObjectStore(client, names.bucket());
  const days = daysOf(period);
  const download = (prefix: string) => reading("s3:GetObject", downloaded(objects, prefix, days, folder));
  const log = { searches: await download(PREFIXES.searchLogs), events: await download(PREFIXES.searchEvents) };
  const { length } = [...log.searches, ...log.events];
  context.terminal.note(`Downloaded ${length} objects of s3://${names.bucket()}/${PREFIXES.logs}`);
  return log;
}

/** Returns the files of a copy of `logs/`. Throws UsageError if there is none. */
function logIn(folder: string): LogFiles {
  const files = (name: string) =>
    globSync(`${name}/**/*`, { cwd: folder })
      .map((path) => join(folder, path))
      .filter((path) => statSync(path).isFile())
      .toSorted();
  const log = { searches: files("search"), events: files("events") };
  if (log.searches.length > 0) return log;
  throw new UsageError(`${folder} has no files in search/: copy logs/ of the bucket with "aws s3 sync"`);
}

/** Returns the days of arrival, as in names of folders: a line may arrive on the day after it was written. */
export function daysOf({ from, until }: Pick<LogOfPeriod, "from" | "until">): string[] {
  const days: string[] = [];
  const first = Math.floor(from.getTime() / DAY_MS);
  const last = Math.floor(until.getTime() / DAY_MS) + 1;
  for (let day = first; day <= last; day += 1) days.push(new Date(day * DAY_MS).toISOString().slice(0, 10));
  return days;
}

/** Downloads the objects of days below a prefix. Returns their files. */
export async function downloaded(
  objects: Pick<ObjectStore, "list" | "read">,
  prefix: string,
  days: readonly string[],
  folder: string,
): Promise<string[]> {
  const keys: string[] = [];
  for (const day of days) for await (const { key } of objects.list(`${prefix}day=${day}/`)) keys.push(key);
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
