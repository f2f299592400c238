import type { PlanJson, ResourceChange } from "./plan-json.ts";

/** Returns a note for each function that `rollback` put back and that the plan moves forward again. */
export function rolledBackNotes({ resource_changes: changes = [] }: PlanJson): string[] {
  return changes.flatMap((alias) => {
    if (alias.type !== "aws_lambda_alias" || !alias.change.actions.includes("update")) return [];
    const { function_name: name, function_version: live } = valuesOf(alias);
    const deployed = changes.find((one) => one.type === "aws_lambda_function" && valuesOf(one).function_name === name);
    const newest = deployed && valuesOf(deployed).version;
    if (!newest || Number(live) >= Number(newest)) return [];
    return [`${name} was rolled back to version ${live}: this plan moves it forward again`];
  });
}

function valuesOf({ change }: ResourceChange): Readonly<Record<string, unknown>> {
  return (change.before ?? {}) as Record<string, unknown>;
}
