import { LambdaInvocation } from "#aws/lambda-invocation";
import type { ITerraformDependable } from "#cdktf";
import type { ResourceInputGiven } from "../../lib/personalize/resources/request.ts";
import { LIVE_ALIAS } from "../../lib/platform/naming/names.ts";
import { PROJECT_TAG, STACK_TAG } from "../../lib/platform/naming/tags.ts";
import { literal, type ProjectStack } from "../project-stack.ts";

/** The desired state of a resource, without the fields that the construct adds. */
export type DesiredResource = ResourceInputGiven extends infer Input
  ? Input extends ResourceInputGiven
    ? Omit<Input, "repair" | "tags">
    : never
  : never;

export interface PersonalizeResourceOptions {
  desired: DesiredResource;
  dependsOn?: readonly ITerraformDependable[];
  /** A changed value creates a new resource, which is in use before the old one is deleted. */
  suffix?: string;
}

/** Resources that only `uninstall` deletes: they hold data, or others depend on them. */
const KEPT: readonly DesiredResource["kind"][] = ["dataset_group", "schema", "dataset", "event_tracker"];

/**
 * Adds a Personalize resource. The AWS provider has none, so personalize-manager applies the state in the input, and a
 * plan shows every change. Function name and qualifier are literal: changing either replaces the resource, and new
 * function code must not. Undefined if uninstall has already removed it.
 */
export function personalizeResource(
  stack: ProjectStack,
  id: string,
  { desired, dependsOn = [], suffix }: PersonalizeResourceOptions,
): LambdaInvocation | undefined {
  const { uninstall } = stack.input;
  const applied = uninstall?.applied[id];
  if (uninstall && !applied) return undefined;
  const kept = KEPT.includes(desired.kind);
  const input = uninstall ? { ...applied, deletable: true } : inputOf(stack, id, desired);
  return new LambdaInvocation(stack, id, {
    functionName: stack.names.function("personalize-manager"),
    qualifier: LIVE_ALIAS,
    lifecycleScope: "CRUD",
    input: literal(JSON.stringify(input)),
    ...(suffix !== undefined && { triggers: { suffix } }),
    lifecycle: {
      ...(kept && { preventDestroy: uninstall === undefined }),
      ...(suffix !== undefined && { createBeforeDestroy: true }),
    },
    dependsOn: [...dependsOn],
  });
}

function inputOf({ input, node }: ProjectStack, id: string, desired: DesiredResource) {
  const { project_name, aws } = input.config.project;
  const tags = { ...aws.tags, [PROJECT_TAG]: project_name, [STACK_TAG]: node.id };
  const repair = input.discovery.personalize?.repairs[id];
  return { ...desired, ...(desired.kind !== "schema" && { tags }), ...(repair !== undefined && { repair }) };
}

/** Returns the resources that exist: uninstall may have removed some. */
export function present(resources: readonly (LambdaInvocation | undefined)[]): LambdaInvocation[] {
  return resources.filter((one) => one !== undefined);
}
