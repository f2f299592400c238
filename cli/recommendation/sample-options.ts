import * as v from "valibot";
import { filled, option } from "../options.ts";

/** The path of a file. */
export const Path = filled("needs a file");

/** The option that schema-generation, validate and upload-sample share. */
export const nullOption = {
  null: option(
    "--null <words>",
    "words that mean that there is no value, separated by commas: NULL,NaN",
    v.pipe(
      v.optional(v.string(), ""),
      v.transform((text) => text.split(",").filter((word) => word !== "")),
    ),
  ),
};
