import * as v from "valibot";
import { DATASETS, type Dataset } from "../../lib/platform/contract/recommendation.ts";
import type { FileFormat } from "../../lib/settings/etl.ts";
import { COLUMN_NAME } from "../../lib/settings/names.ts";
import { filled, maybe, option } from "../options.ts";

/** The path of a file. */
export const Path = filled("needs a file");

/** The option that schema-generation, validate and upload-sample share. */
export const nullOption = {
  null: option(
    "--null <words>",
    "words that mean that there is no value, separated by commas: NULL,NaN (default: those of schema-generation)",
    v.pipe(
      v.optional(v.string(), ""),
      v.transform((text) => text.split(",").filter((word) => word !== "")),
    ),
  ),
};

const RENAME = new RegExp(`^(?:(?<dataset>${DATASETS.join("|")}):)?(?<from>[^=]+)=(?<to>.*)$`);

/** One `--rename`, such as `movieId=ITEM_ID` or `item:2=TITLE`. */
const Rename = v.pipe(
  v.string(),
  v.transform((text) => RENAME.exec(text)?.groups),
  v.check(
    (parts) => parts !== undefined && (parts.to === "" || COLUMN_NAME.test(parts.to ?? "")),
    "is OLD=NEW, and NEW has letters, digits and underscores",
  ),
  v.transform((parts): FileFormat["renames"][number] => ({
    ...(parts?.dataset && { dataset: parts.dataset as Dataset }),
    from: parts?.from ?? "",
    ...(parts?.to && { to: parts.to }),
  })),
);

/** The options of schema-generation that say how files are read. They are kept in etl/configure.json. */
export const formatOptions = {
  rename: option(
    "--rename <old=new>",
    "a column's name in the files and in records, repeatable: movieId=ITEM_ID, of one file item:name=TITLE; without a new name it is left out. Numbers name columns of a file without a header: interaction:1=USER_ID",
    v.array(Rename),
    { repeated: true },
  ),
  eventType: option("--event-type <text>", "the EVENT_TYPE of events that have none", maybe),
  timestampFormat: option(
    "--timestamp-format <format>",
    "the form of TIMESTAMP, in UTC: iso, x for milliseconds, or tokens such as 'yyyy-MM-dd HH:mm:ss'",
    maybe,
  ),
  separator: option(
    "--separator <text>",
    "the text between values of files without quotes: '::', or '\\t' for a tab",
    maybe,
  ),
  ...nullOption,
};

/** Returns the format that these options describe. */
export function formatOf(options: {
  rename: FileFormat["renames"];
  eventType?: string | undefined;
  timestampFormat?: string | undefined;
  separator?: string | undefined;
  null: string[];
}): FileFormat {
  const { rename, eventType, timestampFormat, separator } = options;
  return {
    no_value: options.null,
    renames: rename,
    ...(separator && { separator: separator.replaceAll("\\t", "\t") }),
    ...(eventType && { event_type: eventType }),
    ...(timestampFormat && { timestamp_format: timestampFormat }),
  };
}
