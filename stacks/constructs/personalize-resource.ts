import { LambdaInvocation } from "@cdktf/provider-aws/lib/lambda-invocation/index.js";
import type { ITerraformDependable } from "cdktf";
import { LIVE_ALIAS } from "../../lib/core/naming/names.ts";
import { PROJECT_TAG, STACK_TAG } from "../../lib/core/naming/tags.ts";
import type { ResourceInputGiven } from "../../lib/personalize/resources/request.ts";
import type { ProjectStack } from "../project-stack.ts";
import { literal } from "./literal.ts";

/** The desired state of a resource, without what the construct adds to each. */
export type DesiredResource = ResourceInputGiven extends infer Input
  ? Input extends ResourceInputGiven
    ? Omit<Input, "repair" | "tags">
    : never
  : never;

export interface PersonalizeResourceOptions {
  desired: DesiredResource;
  dependsOn?: readonly ITerraformDependable[];
  /** Another value makes another resource, which is there and in use before this one goes. */
  suffix?: string;
}

/** What is only deleted by `uninstall`: it holds data, or others hang on it. */
const KEPT: readonly DesiredResource["kind"][] = ["dataset_group", "schema", "dataset", "event_tracker"];

/**
 * One resource of Personalize, which the AWS provider has none of: personalize-manager brings it to the state in the
 * input, so a plan shows every change. Name and qualifier are literal: both replace the resource when they change, and
 * new code of the function must not. Undefined when an uninstallation has nothing left of it to remove.
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

/** The resources that are there: an uninstallation may have removed some. */
export function present(resources: readonly (LambdaInvocation | undefined)[]): LambdaInvocation[] {
  return resources.filter((one) => one !== undefined);
}
