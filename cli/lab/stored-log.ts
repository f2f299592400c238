import * as v from "valibot";
import { UsageError } from "../../lib/platform/failure.ts";
import type { Service } from "../../lib/platform/naming/names.ts";
import type { LogBucket, LogSource } from "../../packages/lab/stored-log/stored-log.ts";
import { type Context, confOf, type OptionsOf } from "../command.ts";
import { filled, flag, number, option } from "../options.ts";
import { inAccount, openSession, type Session } from "../project.ts";
import { reading } from "../recommendation/target.ts";
import { openObjects } from "../state/buckets.ts";

/** A number of days. */
export const Days = number(/^[1-9]\d{0,3}$/, "must be a number of days from 1 to 9999");

/** The options of commands that read the stored request log. */
export const logOptions = {
  days: option("--days <number>", "number of days of the request log to read", Days, { default: "30" }),
  files: option(
    "--files <folder>",
    "a copy of logs/ of the bucket, with search/ and events/ (default: the bucket itself)",
    v.optional(filled("needs a folder")),
  ),
  local: flag("--local", "read the bucket of `make dev`"),
};

type LogOptions = { conf: string } & OptionsOf<typeof logOptions>;

/** Returns the log that the options name: a copy, or the project's bucket. */
export const logSource = ({ days, files, ...options }: LogOptions, context: Context): LogSource => ({
  days,
  from: files ?? (async (service) => logBucket(await openSession(confOf(options), context), options.local, service)),
  note: context.terminal.note,
});

/** Opens the bucket with the log of a service. Throws UsageError if the project does not have the service. */
export async function logBucket(session: Session, local: boolean, service: Service): Promise<LogBucket> {
  const { searchGateway, recommendation } = session.config;
  if (service === "search-gateway" && !searchGateway)
    throw new UsageError("project.yaml has no search gateway, so there is no request log");
  if (service === "recommendation" && !recommendation)
    throw new UsageError("project.yaml has no recommendation service, so there is no request log of it");
  const { names, sdk } = await inAccount(session, local);
  const bucket = names.bucket();
  const objects = await openObjects({ ...sdk, ...(local && { forcePathStyle: true }) }, bucket);
  return { name: bucket, objects, explained: (work) => reading("s3:GetObject", work) };
}
