import { mkdir } from "node:fs/promises";
import type { StackName } from "../../lib/core/naming/names.ts";
import { type Place, providerRetries } from "../session.ts";
import { managedResources } from "../terraform/managed-resources.ts";
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
