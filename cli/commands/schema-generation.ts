import * as v from "valibot";
import { DATASETS } from "../../lib/platform/contract/recommendation.ts";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { shellWord } from "../../lib/platform/shell-word.ts";
import { constantsOf } from "../../lib/recommendation/schema/constants.ts";
import { type Generated, generateSchemas } from "../../lib/recommendation/schema/generate.ts";
import { SampleError } from "../../lib/recommendation/schema/row.ts";
import { schemaTable, writeSchemas } from "../../lib/recommendation/schema/write.ts";
import type { FileFormat } from "../../lib/settings/etl.ts";
import { ConfigurationError } from "../../lib/settings/problem.ts";
import { defineCommand } from "../command.ts";
import { flag, option, words } from "../options.ts";
import { absentEventTypes } from "../recommendation/event-types.ts";
import { readFilters } from "../recommendation/filters.ts";
import { formatOf, formatOptions, Path } from "../recommendation/sample-options.ts";

const TITLES = { user: "users", item: "items", interaction: "interactions" } as const;

/** `relevance schema-generation`: writes the schema files and etl/configure.json, and prints the schemas as tables. */
export const command = defineCommand({
  example: [
    "relevance schema-generation \\",
    "    --user users.csv --item items.csv --interaction interactions.csv --textual-fields TITLE",
  ].join("\n  "),
  json: true,
  options: {
    interaction: option(
      "--interaction <file>",
      "events, CSV or JSON (an array, or one object per line): USER_ID, ITEM_ID, EVENT_TYPE, TIMESTAMP; EVENT_VALUE, IMPRESSION",
      Path,
    ),
    user: option(
      "--user <file>",
      "users, if you have any data about them: USER_ID and your own columns",
      v.optional(Path),
    ),
    item: option(
      "--item <file>",
      "items, if you have any data about them: ITEM_ID and your own columns",
      v.optional(Path),
    ),
    textualFields: option(
      "--textual-fields <names>",
      "columns of the items to treat as text, separated by commas",
      v.pipe(
        words,
        v.transform((names) => names.filter((name) => name !== "")),
      ),
      { default: "" },
    ),
    ...formatOptions,
    strict: flag("--strict", "stop if the service would reject a row, instead of leaving it out"),
  },
  run: async ({ conf, json, user, item, interaction, textualFields, strict, ...options }, { terminal }) => {
    const files = { user, item, interaction, textualFields };
    try {
      const constants = constantsOf(readFilters(conf));
      const format = formatOf(options);
      const isPlain = Object.values(format).every((part) => Array.isArray(part) && part.length === 0);
      const read = await generateSchemas({ ...files, ...(!isPlain && { format }), strict, constants });
      const { eventTypes, warnings: unusual, missingWords, ...generated } = read;
      const written = await write(generated, conf);
      const warnings = [...unusual, ...absentEventTypes(conf, eventTypes)];
      if (missingWords.length > 0) {
        const again = commandWith({
          ...files,
          conf,
          format: { ...format, no_value: [...format.no_value, ...missingWords] },
        });
        warnings.push(`to treat words as no value, run ${again}`);
      }
      if (json) {
        terminal.printJson({ ...generated, event_types: Object.fromEntries(eventTypes), written, warnings });
        return 0;
      }
      for (const dataset of DATASETS) {
        const rows = generated.rows[dataset];
        const from = `${files[dataset] ?? "no file"}, ${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"}`;
        terminal.print(
          `${terminal.colors.bold(TITLES[dataset])} (${from})\n\n${schemaTable(generated.schemas[dataset])}\n`,
        );
      }
      const types = [...eventTypes].map(([type, count]) => `${type} (${count.toLocaleString("en")})`);
      terminal.print(`Event types: ${types.join(", ")}\n`);
      terminal.note(`Written:\n${written.map((path) => `  ${path}`).join("\n")}`);
      terminal.note("O marks yes, X marks no. Types and flags can be changed in these files before the first deploy.");
      for (const warning of warnings) terminal.note(`Warning: ${warning}`);
      return 0;
    } catch (error) {
      throw error instanceof SampleError ? new UsageError(error.message, { cause: error }) : error;
    }
  },
});

/** Returns the command line that gives these options. */
function commandWith(options: {
  conf: string;
  user?: string | undefined;
  item?: string | undefined;
  interaction: string;
  textualFields: readonly string[];
  format: FileFormat;
}): string {
  const { conf, user, item, interaction, textualFields, format } = options;
  const { event_type, timestamp_format, separator, renames, no_value } = format;
  const given = {
    ...{ conf, user, item, interaction, "textual-fields": textualFields.join(",") },
    ...{ "event-type": event_type, "timestamp-format": timestamp_format, separator, null: no_value.join(",") },
  };
  const renamed = renames.map(
    ({ dataset, from, to = "" }) => `--rename ${shellWord(`${dataset ? `${dataset}:` : ""}${from}=${to}`)}`,
  );
  const words = Object.entries(given).flatMap(([name, value]) => (value ? [`--${name} ${shellWord(value)}`] : []));
  return ["relevance schema-generation", ...words, ...renamed].join(" ");
}

async function write(generated: Pick<Generated, "schemas" | "etl">, folder: string): Promise<string[]> {
  try {
    return await writeSchemas(generated, folder);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(`The schema files could not be written below ${folder}: ${reason}`, { cause: error });
  }
}
