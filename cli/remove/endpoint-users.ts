import { Failure } from "../../lib/platform/failure.ts";
import type { DiscoveryClients } from "../discovery/clients.ts";
import { explained } from "../discovery/explain.ts";
import { sdkDiscoveryClients } from "../discovery/sdk/sdk-clients.ts";
import { failing, type TerraformProject } from "../project.ts";
import { endpointVpcs } from "../state/stacks.ts";
import { pullState, type StackFolder } from "../terraform/stack.ts";

/**
 * Throws Failure if the stack has interface endpoints, and other projects have functions in their VPC: private names serve
 * the whole VPC, so the others have no endpoints of their own.
 */
export async function refuseWhileOthersUse(
  { config, sdk, runner }: TerraformProject,
  foundation: StackFolder,
): Promise<void> {
  // From the state: project.yaml may have lost its section `vpc` with the search gateway.
  for (const vpcId of endpointVpcs(await pullState(runner, foundation))) {
    const problem = await failing(othersProblem(sdkDiscoveryClients(sdk), vpcId, config.project.project_name));
    if (problem !== undefined) throw new Failure(problem);
  }
}

/** Returns why endpoints of a project cannot be removed; undefined if no other project is in their VPC. */
export async function othersProblem(
  clients: Pick<DiscoveryClients, "projectsInVpc">,
  vpcId: string,
  project: string,
): Promise<string | undefined> {
  const found = await explained("ec2:DescribeSecurityGroups", clients.projectsInVpc(vpcId));
  const others = found.filter((one) => one !== project);
  if (others.length === 0) return undefined;
  return (
    `--destroy-infra true would remove interface endpoints of ${vpcId}, which ${others.join(", ")} may use: ` +
    "use --destroy-infra false now, and run the command with true once the others are removed"
  );
}
