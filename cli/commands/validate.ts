import * as v from "valibot";
import { Failure, rethrown, UsageError } from "../../lib/platform/failure.ts";
import { ApiError } from "../../lib/platform/http/error.ts";
import { SampleError } from "../../lib/recommendation/schema/row.ts";
import type { Recommendation } from "../../lib/settings/configuration.ts";
import { PLAIN_FILES } from "../../lib/settings/etl.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { ConfigurationError, formatProblem } from "../../lib/settings/problem.ts";
import { KEY_VARIABLE } from "../api-key.ts";
import { confOf, defineCommand } from "../command.ts";
import { ADMINISTRATION, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { option } from "../options.ts";
import { absentEventTypes } from "../recommendation/event-types.ts";
import { nullOption, Path } from "../recommendation/sample-options.ts";

/**
 * `relevance validate`: checks the configuration offline, whether files fit it if there are any, and whether the mappings
 * of the indexes do if a gateway is named.
 */
export const command = defineCommand({
  example: [
    "relevance validate --conf conf",
    "relevance validate --local",
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
    ...gatewayOptions,
    apiHost: option(
      "--api-host <url>",
      `URL of a search gateway whose indexes to compare with; its API key is in ${KEY_VARIABLE}`,
      gatewayOptions.apiHost.schema,
    ),
  },
  run: async ({ json, null: missing, apiHost, local, apiKey, ...options }, context) => {
    const { conf: _, ...files } = options;
    const { terminal } = context;
    const conf = confOf({ conf: options.conf, local });
    try {
      const { searchGateway, recommendation, warnings: own } = loadConfiguration(conf);
      const services = [...(searchGateway ? ["search-gateway"] : []), ...(recommendation ? ["recommendation"] : [])];
      const hasFiles = Object.values(files).some((file) => file !== undefined);
      const warnings = own.map(formatProblem);
      if (hasFiles) warnings.push(...(await compareData(conf, recommendation, { ...files, missing })));
      if ((local || apiHost !== undefined) && searchGateway) {
        const { mappingWarnings } = await import("../gateway/mapping-warnings.ts");
        const { cluster } = await openGateway({ conf, apiHost, local, apiKey }, context, ADMINISTRATION);
        const work = () => mappingWarnings(cluster, searchGateway);
        warnings.push(...(await rethrown(ApiError, Failure, work)));
      }
      if (json) terminal.printJson({ valid: true, services, problems: [], warnings });
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
