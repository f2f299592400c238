import { SecurityGroup } from "#aws/security-group";
import { gatewayServicesInUse, staysInVpc } from "../../lib/infrastructure/endpoints.ts";
import type { ProjectStack } from "../project-stack.ts";

/**
 * Lambda deletes a function's network interfaces up to 45 minutes after it. Source: Lambda Developer Guide, VPC
 * networking.
 */
export const NETWORK_TIMEOUT = "60m";

/** Where a function runs in the VPC. */
export interface FunctionNetwork {
  subnetIds: string[];
  securityGroupIds: string[];
  /** Whether a change of the network is left to the next deployment. */
  fixed?: boolean;
}

const GROUP = "vpc-functions";

/**
 * Returns the network of the functions that do not call the cluster: undefined unless `vpc.functions` is `all`. They share
 * one group in each stack, which reaches the interface endpoints, S3 and DynamoDB and nothing else, if all of them have
 * endpoints.
 */
export function functionNetwork(stack: ProjectStack): FunctionNetwork | undefined {
  const { config, discovery, uninstall } = stack.input;
  const existing = stack.node.tryFindChild(GROUP) as SecurityGroup | undefined;
  if (uninstall) {
    // The network may be gone, and the functions stay where they are: the values here are ignored.
    if (!uninstall.inVpc) return undefined;
    const group = existing ?? new SecurityGroup(stack, GROUP, { lifecycle: { ignoreChanges: "all" } });
    return { subnetIds: [], securityGroupIds: [group.id], fixed: true };
  }
  const network = discovery.searchGateway?.network;
  if (config.searchGateway?.vpc.functions !== "all" || !network) return undefined;
  const outside = !staysInVpc(config, network);
  const name = stack.names.securityGroup(`${stack.node.id}-functions`);
  const group =
    existing ??
    new SecurityGroup(stack, GROUP, {
      name,
      description: "Functions that do not call the cluster",
      vpcId: network.vpcId,
      // Rules of their own could be removed before the group; an uninstall needs them to the end.
      egress: [
        {
          description: outside ? "HTTPS to services without an endpoint" : "HTTPS to interface endpoints, S3, DynamoDB",
          protocol: "tcp",
          fromPort: 443,
          toPort: 443,
          cidrBlocks: outside ? ["0.0.0.0/0"] : network.cidrBlocks,
          prefixListIds: outside
            ? []
            : gatewayServicesInUse(config).flatMap((service) => network.prefixLists?.[service] ?? []),
          ipv6CidrBlocks: [],
          securityGroups: [],
          selfAttribute: false,
        },
      ],
      tags: { Name: name },
      timeouts: { delete: NETWORK_TIMEOUT },
    });
  return { subnetIds: network.functionSubnets.map(({ id }) => id), securityGroupIds: [group.id] };
}
