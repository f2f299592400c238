import * as v from "valibot";
import type { PersonalizeDiscovery } from "../../lib/infrastructure/discovery.ts";
import { differenceOf, schemaChangeProblems } from "../../lib/personalize/resources/differences.ts";
import { filterQuotaProblem } from "../../lib/personalize/resources/filter.ts";
import type { Inventory } from "../../lib/personalize/resources/inventory.ts";
import { ResourceInput } from "../../lib/personalize/resources/request.ts";
import { failureKind } from "../../lib/platform/aws/errors.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import { AvroSchema } from "../../lib/settings/avro.ts";
import type { Configuration, Recommendation } from "../../lib/settings/configuration.ts";
import type { DiscoveryClients } from "./clients.ts";
import { explained } from "./explain.ts";

/** The inputs in Terraform's state, by the id of the resource in its stack. */
export type AppliedInputs = Readonly<Record<string, unknown>>;

const Marked = v.looseObject({ repair: v.string() });

/**
 * Compares Personalize with the last applied inputs and with the configuration. Undefined if the recommendation service
 * is not enabled.
 */
export async function discoverPersonalize(
  { recommendation }: Pick<Configuration, "recommendation">,
  clients: Pick<DiscoveryClients, "inventory" | "filterQuota">,
  { names, applied, problems }: { names: Names; applied: AppliedInputs; problems: string[] },
): Promise<PersonalizeDiscovery | undefined> {
  if (!recommendation) return undefined;
  const [inventory, quota] = await Promise.all([
    explained("personalize:Describe*, personalize:List*", clients.inventory(names)),
    explained("servicequotas:ListServiceQuotas", clients.filterQuota().catch(unlessDenied)),
  ]);
  const present = inventory.filters.map(({ name }) => name);
  const wanted = recommendation.filters.map(({ name, expression }) => names.filter(name, expression));
  const problem = filterQuotaProblem(present, wanted, quota);
  if (problem !== undefined) problems.push(problem);
  problems.push(...schemaProblems(recommendation, inventory));
  return { repairs: repairMarkers(applied, inventory) };
}

/** Without the permission, the usual quota counts; the plan has a note of it from `checkQuotas`. */
function unlessDenied(error: unknown): undefined {
  if (failureKind(error) !== "denied") throw error;
}

/** Returns why existing datasets cannot take the configured schemas. */
function schemaProblems({ schemas, personalize }: Recommendation, { datasets }: Inventory): string[] {
  const files = {
    user: personalize.user_schema_file_path,
    item: personalize.item_schema_file_path,
    interaction: personalize.interaction_schema_file_path,
  };
  return datasets.flatMap(({ dataset, schema }) => {
    const present = v.safeParse(AvroSchema(dataset), schema);
    // A schema of another form was created by hand: Personalize decides whether it can change.
    if (!present.success) return [];
    const changes = schemaChangeProblems(dataset, present.output, schemas[dataset]);
    if (changes.length === 0) return [];
    const rule =
      dataset === "interaction"
        ? "Personalize cannot replace the schema of interactions"
        : "Personalize keeps the existing fields of a dataset and accepts only new nullable ones";
    return [
      `${files[dataset]} does not fit the existing ${dataset} dataset: ${changes.join(", ")}. ${rule}. Restore the ` +
        `file${dataset === "interaction" ? "" : " (and add what changes under a new field name)"}, or run ` +
        "`relevance uninstall` and deploy again",
    ];
  });
}

/**
 * Returns repair markers: the next number for a resource that differs from its applied input, else the applied marker.
 * A failed update, which Terraform records as done, or a change by hand is thus planned again, but only once.
 */
export function repairMarkers(applied: AppliedInputs, inventory: Inventory): Record<string, string> {
  const markers: Record<string, string> = {};
  for (const [id, given] of Object.entries(applied)) {
    const input = v.safeParse(ResourceInput, given);
    const marked = v.safeParse(Marked, given);
    const before = marked.success ? marked.output.repair : undefined;
    // Terraform stores an input as applied even if it was refused. The next plan changes such a one anyway.
    const differs = input.success && differenceOf(input.output, inventory) !== undefined;
    const marker = differs ? String((Number(before) || 0) + 1) : before;
    if (marker !== undefined) markers[id] = marker;
  }
  return markers;
}
