import type { PlanJson, ResourceChange } from "./plan-json.ts";

/** Returns a note on the instances of each model endpoint that changes: with how many it starts, and what runs beside. */
export function capacityNotes({ resource_changes: changes = [] }: PlanJson): string[] {
  return changes.flatMap((endpoint) => {
    const { type, name, change } = endpoint;
    if (type !== "aws_sagemaker_endpoint" || !change.actions.some((one) => one === "update" || one === "delete"))
      return [];
    const id = name.replace(/-endpoint$/, "-configuration");
    const configuration = changes.find(
      (one) => one.type === "aws_sagemaker_endpoint_configuration" && one.name === id && one.change.after !== null,
    );
    const [before, after] = [valuesOf(endpoint, "before"), valuesOf(endpoint, "after")];
    const start = configuration && fleetOf(configuration);
    if (start === undefined || after === undefined) return [];
    const until = `the account needs quota for both, and both are billed until then`;
    if (change.actions.includes("delete")) {
      return [
        `${after.name} starts with ${start} beside ${before?.name}, which is deleted once the function calls the new one: ${until}`,
      ];
    }
    return [`${after.name} is updated: ${start} replace its instances, which run until the new ones serve: ${until}`];
  });
}

/** Describes the instances of an endpoint configuration: "4 × ml.g5.xlarge". */
function fleetOf(configuration: ResourceChange): string | undefined {
  const [variant] = (valuesOf(configuration, "after")?.production_variants ?? []) as Record<string, unknown>[];
  return variant && `${variant.initial_instance_count} × ${variant.instance_type}`;
}

function valuesOf({ change }: ResourceChange, side: "before" | "after"): Record<string, unknown> | undefined {
  return (change[side] ?? undefined) as Record<string, unknown> | undefined;
}
