import * as v from "valibot";
import { UsageError } from "../../lib/platform/failure.ts";
import { SampleError } from "../../lib/recommendation/schema/row.ts";
import type { Recommendation } from "../../lib/settings/configuration.ts";
import { PLAIN_FILES } from "../../lib/settings/etl.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { ConfigurationError } from "../../lib/settings/problem.ts";
import { defineCommand } from "../command.ts";
import { option } from "../options.ts";
import { absentEventTypes } from "../recommendation/event-types.ts";
import { nullOption, Path } from "../recommendation/sample-options.ts";

/** `relevance validate`: checks the configuration offline and, if files are given, whether the data fit it. */
export const command = defineCommand({
  example: [
    "relevance validate --conf conf",
    "relevance validate --conf conf --user users.csv --item items.csv --interaction interactions.csv",
  ].join("\n  "),
  json: true,
  options: {
    interaction: option(
      "--interaction <file>",
      "events to compare with the schemas, event types and ids",
      v.optional(Path),
    ),
    user: option("--user <file>", "users to compare with the schema and filters", v.optional(Path)),
    item: option("--item <file>", "items to compare with the schema and filters", v.optional(Path)),
    ...nullOption,
  },
  run: async ({ conf, json, null: missing, ...files }, { terminal }) => {
    try {
      const { searchGateway, recommendation } = loadConfiguration(conf);
      const services = [...(searchGateway ? ["search-gateway"] : []), ...(recommendation ? ["recommendation"] : [])];
      const hasFiles = Object.values(files).some((file) => file !== undefined);
      const warnings = hasFiles ? await compareData(conf, recommendation, { ...files, missing }) : [];
      if (json) terminal.printJson({ valid: true, services, problems: [], ...(hasFiles && { warnings }) });
      else terminal.print(terminal.colors.green(`${conf} is valid. It deploys: ${services.join(", ")}`));
      if (!json) for (const warning of warnings) terminal.note(`Warning: ${warning}`);
      return 0;
    } catch (error) {
      if (error instanceof SampleError) throw new UsageError(error.message, { cause: error });
      if (!json || !(error instanceof ConfigurationError)) throw error;
      terminal.printJson({ valid: false, services: [], problems: error.problems });
      return 2;
    }
  },
});

interface Files {
  user?: string | undefined;
  item?: string | undefined;
  interaction?: string | undefined;
  missing: string[];
}

/** Returns what does not fit between the configuration and the data. Throws SampleError for files that cannot be read. */
async function compareData(conf: string, recommendation: Recommendation | undefined, files: Files): Promise<string[]> {
  if (!recommendation)
    throw new UsageError(`${conf} does not enable the recommendation service, which the files are for`);
  // Only here: they are a fifth of the modules that the command would load.
  const [{ constantsOf }, { readSamples }, { tooManyTypes }, { definitionsOf }] = await Promise.all([
    import("../../lib/recommendation/schema/constants.ts"),
    import("../../lib/recommendation/schema/generate.ts"),
    import("../../lib/recommendation/schema/warnings.ts"),
    import("../../lib/recommendation/service/settings-of.ts"),
  ]);
  const { schemas, filters, solution, etl } = recommendation;
  const { missing, ...paths } = files;
  const kept = etl.files ?? PLAIN_FILES;
  const constants = constantsOf(filters);
  const { samples, warnings } = await readSamples({
    ...paths,
    format: missing.length > 0 ? { ...kept, no_value: missing } : kept,
    textualFields: [],
    constants,
    definitions: definitionsOf(recommendation),
  });
  if (files.interaction === undefined) return warnings;
  const { interaction } = samples;
  // Whoever lists event types knows which are left out.
  const types = solution.event_types === undefined ? tooManyTypes(interaction, schemas.interaction) : [];
  return [...types, ...warnings, ...absentEventTypes(conf, interaction.eventTypes)];
}
