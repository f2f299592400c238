import { STEPS } from "../apply/steps.ts";
import { openPlace, type Session } from "../session.ts";
import { type ManagedResource, managedResources } from "../terraform/managed-resources.ts";
import { pullState } from "../terraform/stack.ts";
import { bareStacks } from "./stacks.ts";

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
