import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  COMBINATIONS,
  MAX_CANDIDATES,
  MAX_SUBQUERIES,
  NORMALIZATIONS,
} from "@relevance/lib/platform/contract/search.ts";
import { replaceFile } from "@relevance/lib/platform/replace-file.ts";
import { checkHybridSearchText } from "@relevance/lib/settings/load.ts";
import { ConfigurationError } from "@relevance/lib/settings/problem.ts";
import * as v from "valibot";
import { withDefaults } from "../tuning/write-settings.ts";
import { ConsoleError } from "./problem.ts";

/** New defaults of an index, as the page sends them. The values are those that `hybrid_search.yaml` takes. */
export const SentDefaults = v.strictObject({
  /** Name of the entry in hybrid_search.yaml. */
  index: v.pipe(v.string(), v.nonEmpty()),
  defaults: v.strictObject({
    weights: v.nullable(
      v.pipe(v.array(v.pipe(v.number(), v.minValue(0), v.maxValue(1))), v.minLength(1), v.maxLength(MAX_SUBQUERIES)),
    ),
    normalization: v.picklist(NORMALIZATIONS),
    combination: v.picklist(COMBINATIONS),
    candidates: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_CANDIDATES)),
  }),
  /** `version` of the change that the user has seen; only a write needs it. */
  version: v.optional(v.string()),
});
export type SentDefaults = v.InferOutput<typeof SentDefaults>;

/** The pending changes to hybrid_search.yaml. */
export interface DefaultsChange {
  file: string;
  before: string;
  after: string;
  /** Identifies the file's present text. */
  version: string;
}

/**
 * Returns what writing new defaults would change. Throws ConsoleError if the file has no such entry, or if a start would
 * refuse the new text.
 */
export function previewDefaults(file: string, { index, defaults }: SentDefaults): DefaultsChange {
  const before = readFileSync(file, "utf8");
  const after = withDefaults(before, index, defaults);
  if (after === undefined) {
    throw new ConsoleError(
      409,
      "no_entry",
      `${file} has no entry in block style for ${index}: add the settings by hand`,
    );
  }
  refuseInvalid(file, after);
  return { file, before, after, version: createHash("sha256").update(before).digest("hex") };
}

function refuseInvalid(file: string, text: string): void {
  try {
    checkHybridSearchText(dirname(file), text);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConsoleError(409, "invalid", `These defaults would make ${file} invalid: ${error.message}`, {
      cause: error,
    });
  }
}

/** Writes new defaults. Throws ConsoleError if the file is not what the user has seen. */
export function writeDefaults(file: string, sent: SentDefaults): DefaultsChange {
  const change = previewDefaults(file, sent);
  if (sent.version !== change.version) {
    throw new ConsoleError(409, "changed", `${file} has changed in the meantime: look at the new difference first`);
  }
  replaceFile(file, change.after);
  return change;
}
