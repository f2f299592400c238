import type { Command } from "commander";
import * as v from "valibot";

/** The path of a file. */
export const Path = v.pipe(v.string(), v.nonEmpty("needs a file"));

/** Defines `--null`, which schema-generation, validate and upload-sample share. */
export function defineNullOption(command: Command): void {
  command.option("--null <words>", "words that mean that there is no value, separated by commas: NULL,NaN");
}

/** The value of `--null`. */
export const NullWords = v.pipe(
  v.optional(v.string(), ""),
  v.transform((words) => words.split(",").filter((word) => word !== "")),
);
