import type { StackName } from "../../lib/core/naming/names.ts";
import { STEPS } from "../apply/steps.ts";
import { accountOf, runnerOf, type Session } from "../session.ts";
import { type ManagedResource, managedResources } from "../terraform/managed-resources.ts";
import { pullState } from "../terraform/stack.ts";
import { bareStacks } from "./stacks.ts";

/** Reads all resources of the project in Terraform's state, stack by stack in the order of deployment. */
export async function managedInState(session: Session): Promise<ManagedResource[]> {
  const runner = await runnerOf(session);
  const stacks: StackName[] = STEPS.flatMap((step) => step.stacks);
  const found: ManagedResource[] = [];
  for (const stack of await bareStacks(session, runner, await accountOf(session), stacks)) {
    found.push(...managedResources(stack.name, await pullState(runner, stack)));
  }
  return found;
}
