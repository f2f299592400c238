import { globSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { ObjectStore } from "@relevance/lib/platform/aws/object-store.ts";
import { Failure, UsageError } from "@relevance/lib/platform/failure.ts";
import type { Service } from "@relevance/lib/platform/naming/names.ts";
import { PREFIXES } from "@relevance/lib/platform/naming/object-keys.ts";
import { concurrently } from "@relevance/lib/platform/resilience/concurrently.ts";

const DAY_MS = 86_400_000;
/** Objects that are downloaded at a time. */
const AT_ONCE = 8;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The bucket with the stored lines of a project. */
export interface LogBucket {
  name: string;
  objects: Pick<ObjectStore, "list" | "read">;
  /** Awaits calls to it. Throws Failure for errors that the user can mend. */
  explained<T>(work: Promise<T>): Promise<T>;
}

/** Where stored lines are read, and how much of them. */
export interface LogSource {
  /** The last days that count. */
  days: number;
  /** Opens the bucket for the lines of a service; or the folder of a copy of it. Throws UsageError if the project does not have it. */
  from: string | ((service: Service) => Promise<LogBucket>);
  /** Says what was read. */
  note(line: string): void;
}

/** The days of which lines count. */
interface Period {
  from: Date;
  until: Date;
}

/** The files of a log by their part, in a folder that has room for more, and their period. */
interface LogOfPeriod<Part extends string> extends Period {
  log: Record<Part, string[]> & { scratch: string };
}

/** Objects by day of arrival. */
interface LogPart {
  /** Prefix in the bucket. */
  prefix: string;
  /** Folder of a copy. */
  copy: string;
  /** Returns the folder of a day, which is written as in 2026-11-20. */
  folderOf: (day: string) => string;
}

interface LogLayout<Part extends string> {
  service: Service;
  parts: Readonly<Record<Part, LogPart>>;
  /** The part that a copy must have. */
  needed: Part;
  /** Range to copy. */
  copied: string;
}

const byDay = (day: string) => `day=${day}/`;

/** The request log of searches and the events that followed. */
const SEARCHES: LogLayout<"searches" | "events"> = {
  service: "search-gateway",
  parts: {
    searches: { prefix: PREFIXES.searchLogs, copy: "search", folderOf: byDay },
    events: { prefix: PREFIXES.searchEvents, copy: "events", folderOf: byDay },
  },
  needed: "searches",
  copied: "logs/ of the bucket",
};

/** The request log of recommendations and the events of the service. */
const RECOMMENDATIONS: LogLayout<"answers" | "events"> = {
  service: "recommendation",
  parts: {
    answers: { prefix: PREFIXES.recommendationLogs, copy: "logs/recommendations", folderOf: byDay },
    events: { prefix: PREFIXES.events, copy: "events", folderOf: (day: string) => `${day.replaceAll("-", "/")}/` },
  },
  needed: "answers",
  copied: "logs/ and events/ of the bucket",
};

/**
 * Runs work with the stored request log of searches and their events of the last days. Downloads them into a temporary
 * folder, which it removes, unless the source is a copy. Throws Failure and UsageError.
 */
export const withStoredLog = <T>(
  source: LogSource,
  work: (log: LogOfPeriod<"searches" | "events">) => Promise<T>,
): Promise<T> => withFiles(source, SEARCHES, work);

/** Does the same with the request log of recommendations and the service's events. */
export const withRecommendationLog = <T>(
  source: LogSource,
  work: (log: LogOfPeriod<"answers" | "events">) => Promise<T>,
): Promise<T> => withFiles(source, RECOMMENDATIONS, work);

async function withFiles<T, Part extends string>(
  source: LogSource,
  layout: LogLayout<Part>,
  work: (log: LogOfPeriod<Part>) => Promise<T>,
): Promise<T> {
  const until = new Date();
  const period = { from: new Date(until.getTime() - source.days * DAY_MS), until };
  const scratch = await mkdtemp(join(tmpdir(), "relevance-log-"));
  try {
    const files =
      typeof source.from === "string"
        ? filesIn(source.from, layout)
        : await downloadedFiles(await source.from(layout.service), source, layout, { ...period, scratch });
    return await work({ log: { ...files, scratch }, ...period });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Downloads the log of a period into a folder. Throws Failure. */
async function downloadedFiles<Part extends string>(
  { name: bucket, objects, explained }: LogBucket,
  { note }: LogSource,
  { parts }: LogLayout<Part>,
  { scratch, ...period }: Period & { scratch: string },
): Promise<Record<Part, string[]>> {
  const days = daysOf(period);
  const files: [string, string[]][] = [];
  for (const [name, { prefix, folderOf }] of Object.entries<LogPart>(parts)) {
    const from = { prefix, folders: days.map(folderOf) };
    files.push([name, await explained(downloaded(objects, from, scratch))]);
  }
  note(`Downloaded ${files.reduce((sum, [, of]) => sum + of.length, 0)} objects of s3://${bucket}/`);
  return Object.fromEntries(files) as Record<Part, string[]>;
}

/** Returns the files of a copy. Throws UsageError if it has none of the log. */
function filesIn<Part extends string>(
  folder: string,
  { parts, needed, copied }: LogLayout<Part>,
): Record<Part, string[]> {
  const below = (copy: string) =>
    globSync(`${copy}/**/*`, { cwd: folder })
      .map((path) => join(folder, path))
      .filter((path) => statSync(path).isFile())
      .toSorted();
  const log = Object.fromEntries(
    Object.entries<LogPart>(parts).map(([name, { copy }]) => [name, below(copy)]),
  ) as Record<Part, string[]>;
  if (log[needed].length > 0) return log;
  throw new UsageError(`${folder} has no files in ${parts[needed].copy}/: copy ${copied} with "aws s3 sync"`);
}

/** Returns the days of arrival, as in names of folders: a line may arrive on the day after it was written. */
export function daysOf({ from, until }: { from: Date; until: Date }): string[] {
  const days: string[] = [];
  const first = Math.floor(from.getTime() / DAY_MS);
  const last = Math.floor(until.getTime() / DAY_MS) + 1;
  for (let day = first; day <= last; day += 1) days.push(new Date(day * DAY_MS).toISOString().slice(0, 10));
  return days;
}

/** Characters of `20/` at the end of the folder of a day. */
const DAY_OF_MONTH = 3;

/** Downloads the objects of the folders of days below a prefix. Returns their files. */
export async function downloaded(
  objects: Pick<ObjectStore, "list" | "read">,
  { prefix, folders }: { prefix: string; folders: readonly string[] },
  folder: string,
): Promise<string[]> {
  const keys: string[] = [];
  const wanted = new Set(folders.map((day) => `${prefix}${day}`));
  // By month, which is a call in place of thirty.
  for (const month of new Set([...wanted].map((day) => day.slice(0, -DAY_OF_MONTH)))) {
    for await (const { key } of objects.list(month))
      if (wanted.has(key.slice(0, month.length + DAY_OF_MONTH))) keys.push(key);
  }
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
