import * as v from "valibot";
import { AvroSchema } from "../../lib/config/avro.ts";
import type { Configuration, Recommendation } from "../../lib/config/configuration.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import type { PersonalizeDiscovery } from "../../lib/infrastructure/discovery.ts";
import { differenceOf } from "../../lib/personalize/resources/differences.ts";
import { filterQuotaProblem } from "../../lib/personalize/resources/filter-quota.ts";
import type { Inventory } from "../../lib/personalize/resources/inventory.ts";
import { ResourceInput } from "../../lib/personalize/resources/request.ts";
import { schemaChangeProblems } from "../../lib/personalize/resources/schema-change.ts";
import type { DiscoveryClients } from "./clients.ts";
import { explained } from "./explain.ts";

/** The inputs that Terraform applied last, as its state has them, by the id of the resource in its stack. */
export type AppliedInputs = Readonly<Record<string, unknown>>;

const Marked = v.looseObject({ repair: v.string() });

/**
 * Compares what Personalize has with what was applied last, and with what the configuration asks for. Undefined when the
 * recommendation service is not enabled.
 */
export async function discoverPersonalize(
  { recommendation }: Pick<Configuration, "recommendation">,
  clients: Pick<DiscoveryClients, "inventory">,
  { names, applied, problems }: { names: Names; applied: AppliedInputs; problems: string[] },
): Promise<PersonalizeDiscovery | undefined> {
  if (!recommendation) return undefined;
  const inventory = await explained("personalize:Describe*, personalize:List*", clients.inventory(names));
  const present = inventory.filters.map(({ name }) => name);
  const wanted = recommendation.filters.map(({ name, expression }) => names.filter(name, expression));
  const problem = filterQuotaProblem(present, wanted);
  if (problem !== undefined) problems.push(problem);
  problems.push(...schemaProblems(recommendation, inventory));
  return { repairs: repairMarkers(applied, inventory) };
}

/** Why datasets cannot take the schemas of the configuration. */
function schemaProblems({ schemas, personalize }: Recommendation, { datasets }: Inventory): string[] {
  const files = {
    user: personalize.user_schema_file_path,
    item: personalize.item_schema_file_path,
    interaction: personalize.interaction_schema_file_path,
  };
  return datasets.flatMap(({ dataset, schema }) => {
    const present = v.safeParse(AvroSchema(dataset), schema);
    // One that was made by hand in a form of its own is for Personalize to judge.
    if (!present.success) return [];
    const changes = schemaChangeProblems(dataset, present.output, schemas[dataset]);
    if (changes.length === 0) return [];
    const rule =
      dataset === "interaction"
        ? "Personalize does not replace the schema of interactions"
        : "Personalize keeps the fields of a dataset as they are, and takes new ones that may be null";
    return [
      `${files[dataset]} does not fit the ${dataset} dataset that is there: ${changes.join(", ")}. ${rule}. Put the file ` +
        `back as it was${dataset === "interaction" ? "" : " (what changes can be a field of another name)"}, or ` +
        "`relevance uninstall` and deploy anew",
    ];
  });
}

/**
 * Markers of what was applied: the next number for what differs from its input, else the marker that was applied. So a
 * failed update, which Terraform takes for done, and what was changed by hand are planned once more, and then no more.
 */
export function repairMarkers(applied: AppliedInputs, inventory: Inventory): Record<string, string> {
  const markers: Record<string, string> = {};
  for (const [id, given] of Object.entries(applied)) {
    const input = v.safeParse(ResourceInput, given);
    const marked = v.safeParse(Marked, given);
    const before = marked.success ? marked.output.repair : undefined;
    // An input of an older version is changed by the next plan in any case.
    const differs = input.success && differenceOf(input.output, inventory) !== undefined;
    const marker = differs ? String((Number(before) || 0) + 1) : before;
    if (marker !== undefined) markers[id] = marker;
  }
  return markers;
}
