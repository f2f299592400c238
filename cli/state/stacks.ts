import { mkdir } from "node:fs/promises";
import * as v from "valibot";
import { isObject, parseJson } from "../../lib/core/json/values.ts";
import type { StackName } from "../../lib/core/naming/names.ts";
import type { AppliedInputs } from "../discovery/personalize.ts";
import { STEPS } from "../services.ts";
import { openPlace, type Place, providerRetries, type Session } from "../session.ts";
import { type ManagedResource, managedResources, State } from "../terraform/managed-resources.ts";
import { initStack, pullState, type StackFolder } from "../terraform/stack.ts";

/**
 * Returns initialized stacks without resources, in the given order. Terraform can read their state, and applying them
 * removes what the state contains. Does not read the account.
 */
export async function bareStacks(
  { session, runner, account }: Place,
  stacks: readonly StackName[],
): Promise<StackFolder[]> {
  const { config, folders } = session;
  await mkdir(folders.removal, { recursive: true });
  const { synthesizeRemoval } = await import("../../stacks/removal.ts");
  const bare = synthesizeRemoval({
    config,
    account,
    stacks,
    outdir: folders.removal,
    stateFolder: folders.state,
    ...providerRetries(session),
  });
  const scratch = bare.map((stack) => ({ ...stack, scratch: true }));
  for (const stack of scratch) await initStack(runner, stack);
  return scratch;
}

/** Returns the stacks whose state contains resources. */
export async function deployedStacks(place: Place, stacks: readonly StackName[]): Promise<StackFolder[]> {
  const deployed: StackFolder[] = [];
  for (const stack of await bareStacks(place, stacks)) {
    if (managedResources(stack.name, await pullState(place.runner, stack)).length > 0) deployed.push(stack);
  }
  return deployed;
}

/** Reads all resources of the project in Terraform's state, stack by stack in the order of deployment. */
export async function managedInState(session: Session): Promise<ManagedResource[]> {
  const place = await openPlace(session);
  const names = STEPS.flatMap(({ stacks }) => stacks);
  const found: ManagedResource[] = [];
  for (const stack of await bareStacks(place, names)) {
    found.push(...managedResources(stack.name, await pullState(place.runner, stack)));
  }
  return found;
}

const STACKS: readonly StackName[] = ["personalization", "filters", "recommendation"];

/** Reads what Terraform last applied to Personalize resources; empty without a recommendation service. */
export async function readAppliedInputs(place: Place): Promise<AppliedInputs> {
  if (!place.session.config.recommendation) return {};
  const applied: Record<string, unknown> = {};
  for (const stack of await bareStacks(place, STACKS)) {
    Object.assign(applied, appliedInputs(await pullState(place.runner, stack)));
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
