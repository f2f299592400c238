import { mkdir } from "node:fs/promises";
import * as v from "valibot";
import { isObject, parseJson } from "../../lib/platform/json/values.ts";
import type { StackName } from "../../lib/platform/naming/names.ts";
import type { AppliedInputs } from "../discovery/personalize.ts";
import { providerRetries, type TerraformProject } from "../project.ts";
import { STEPS } from "../services.ts";
import { pullState, type StackFolder } from "../terraform/stack.ts";

/**
 * Returns stacks without resources, in the given order. Terraform can read their state, and applying them
 * removes what the state contains. Does not read the account.
 */
export async function bareStacks(
  { config, folders, env, account }: TerraformProject,
  stacks: readonly StackName[],
): Promise<StackFolder[]> {
  await mkdir(folders.removal, { recursive: true });
  const { synthesizeRemoval } = await import("../../stacks/removal.ts");
  const bare = synthesizeRemoval({
    config,
    account,
    stacks,
    outdir: folders.removal,
    stateFolder: folders.state,
    ...providerRetries({ env }),
  });
  return bare.map((stack) => ({ ...stack, scratch: true }));
}

/** Returns the stacks whose state contains resources. */
export async function deployedStacks(project: TerraformProject, stacks: readonly StackName[]): Promise<StackFolder[]> {
  const deployed: StackFolder[] = [];
  for (const stack of await bareStacks(project, stacks)) {
    if (managedResources(stack.name, await pullState(project.runner, stack)).length > 0) deployed.push(stack);
  }
  return deployed;
}

/** Reads all resources of the project in Terraform's state, stack by stack in the order of deployment. */
export async function managedInState(project: TerraformProject): Promise<ManagedResource[]> {
  const names = STEPS.flatMap(({ stacks }) => stacks);
  const found: ManagedResource[] = [];
  for (const stack of await bareStacks(project, names)) {
    found.push(...managedResources(stack.name, await pullState(project.runner, stack)));
  }
  return found;
}

const STACKS: readonly StackName[] = ["personalization", "filters", "recommendation"];

/** Reads what Terraform last applied to Personalize resources; empty without a recommendation service. */
export async function readAppliedInputs(project: TerraformProject): Promise<AppliedInputs> {
  if (!project.config.recommendation) return {};
  const applied: Record<string, unknown> = {};
  for (const stack of await bareStacks(project, STACKS)) {
    Object.assign(applied, appliedInputs(await pullState(project.runner, stack)));
  }
  return applied;
}

/**
 * Returns the inputs of the Lambda invocations in a state, by id. Skips inputs that are not JSON objects: they are not
 * ours.
 */
export function appliedInputs(state: unknown): Record<string, object> {
  if (state === undefined) return {};
  const found = v
    .parse(State, state)
    .resources.filter(({ type }) => type === "aws_lambda_invocation")
    .flatMap(({ name, instances }) =>
      instances
        .filter(({ deposed }) => deposed === undefined)
        .map(({ attributes }) => [name, attributes.input] as const),
    );
  return Object.fromEntries(found.flatMap(([name, text]) => parsed(text).map((input) => [name, input])));
}

function parsed(text: unknown): object[] {
  if (typeof text !== "string") return [];
  const value = parseJson(text);
  return isObject(value) ? [value] : [];
}

/** A resource that Terraform manages. */
export interface ManagedResource {
  stack: string;
  /** Such as `aws_lambda_function.api-router`. */
  address: string;
  /** Undefined if the resource has none. */
  arn: string | undefined;
  /** The provider's id. */
  id: string | undefined;
}

/** The output of `terraform state pull`, as far as it is used. */
const State = v.object({
  resources: v.optional(
    v.array(
      v.object({
        mode: v.string(),
        type: v.string(),
        name: v.string(),
        instances: v.array(
          v.object({
            index_key: v.optional(v.union([v.string(), v.number()])),
            attributes: v.optional(v.record(v.string(), v.unknown()), {}),
            /** Set on an instance that is already replaced. */
            deposed: v.optional(v.string()),
          }),
        ),
      }),
    ),
    [],
  ),
});

/** Returns the managed resources in the output of `terraform state pull`, sorted by address. */
export function managedResources(stack: string, state: unknown): ManagedResource[] {
  if (state === undefined) return [];
  const { resources } = v.parse(State, state);
  const found = resources
    .filter(({ mode }) => mode === "managed")
    .flatMap(({ type, name, instances }) =>
      instances.map(({ index_key, attributes }) => ({
        stack,
        address: `${type}.${name}${index_key === undefined ? "" : `[${JSON.stringify(index_key)}]`}`,
        arn: textOf(attributes.arn),
        id: textOf(attributes.id),
      })),
    );
  return found.sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** Returns the VPCs of the VPC endpoints in a state. */
export function endpointVpcs(state: unknown): string[] {
  if (state === undefined) return [];
  const endpoints = v.parse(State, state).resources.filter(({ type }) => type === "aws_vpc_endpoint");
  const ids = endpoints.flatMap(({ instances }) => instances.map(({ attributes }) => textOf(attributes.vpc_id)));
  return [...new Set(ids.filter((id) => id !== undefined))];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
