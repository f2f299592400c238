import type { GenericSchema } from "valibot";
import { ApiSchema } from "./api.ts";
import { EtlSchema } from "./etl.ts";
import { FiltersSchema } from "./filter.ts";
import { HybridSearchSchema } from "./hybrid-search.ts";
import { ModelsSchema } from "./model.ts";
import { PlacementsSchema } from "./placements.ts";
import { ProjectSchema } from "./project.ts";
import { RulesSchema } from "./rules.ts";
import { aboutOf, type Described, defaultOf, describedBy } from "./shape.ts";
import { CampaignSchema, SolutionSchema } from "./solution.ts";

/** The files of a configuration, with what the reference says of their service. */
export const FILES: readonly [name: string, schema: GenericSchema, service: string][] = [
  ["project.yaml", ProjectSchema, "Both services."],
  [
    "api.yaml",
    ApiSchema,
    "Needed by the search gateway. `throttle` and `cors` are for the recommendation service too.",
  ],
  ["hybrid_search.yaml", HybridSearchSchema, "Needed by the search gateway."],
  ["model.yaml", ModelsSchema, "Needed by the search gateway."],
  ["rules.yaml", RulesSchema, "Rules of the search gateway. May be missing."],
  ["solution.yaml", SolutionSchema, "Needed by the recommendation service."],
  ["campaign.yaml", CampaignSchema, "Needed by the recommendation service."],
  ["filter.yaml", FiltersSchema, "Needed by the recommendation service."],
  ["recommendation.yaml", PlacementsSchema, "Placements of the recommendation service. May be missing."],
  ["etl/configure.json", EtlSchema, "Needed by the recommendation service."],
];

/** Returns the text of docs/reference/configuration.md: every key of every file, from the schemas. */
export function configurationReference(): string {
  return [
    "# Configuration reference",
    "",
    "Every key of the configuration folder. Written from the schemas in `lib/settings/`; do not edit. Concepts are in",
    "[the guide](../guides/configuration.md).",
    "",
    "The schemas in `schema/` are those of Amazon Personalize, written by `relevance schema-generation`.",
    "",
    ...FILES.flatMap(([name, schema, service]) => [
      `## ${name}`,
      "",
      `${aboutOf(schema).description} ${service}`,
      "",
      "| key | must be | default | what it is for |",
      "|---|---|---|---|",
      ...[...describedBy(schema)].map(row),
      "",
    ]),
  ].join("\n");
}

function row({ path, schema, required, only }: Described): string {
  const { allowed = "", description = "" } = aboutOf(schema);
  const when = only === undefined ? "" : ` Only with \`${only}\`.`;
  const cells = [`\`${path}\``, allowed, required ? "required" : defaultText(schema), `${description}${when}`];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function defaultText(schema: GenericSchema): string {
  const value = defaultOf(schema);
  if (value === undefined || (typeof value === "object" && Object.keys(value ?? {}).length === 0)) return "";
  return `\`${JSON.stringify(value)}\``;
}
