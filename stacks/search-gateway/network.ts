import { SecurityGroup } from "@cdktf/provider-aws/lib/security-group/index.js";
import { VpcSecurityGroupEgressRule } from "@cdktf/provider-aws/lib/vpc-security-group-egress-rule/index.js";
import { VpcSecurityGroupIngressRule } from "@cdktf/provider-aws/lib/vpc-security-group-ingress-rule/index.js";
import { staysInVpc } from "../../lib/infrastructure/endpoints.ts";
import { NETWORK_TIMEOUT } from "../constructs/function.ts";
import { gatewayInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";

const HTTPS = { ipProtocol: "tcp", fromPort: 443, toPort: 443 } as const;

/** Adds api-router's security group and, unless the configuration opts out, a rule on one of the domain's groups for it. */
export function gatewayNetwork(stack: ProjectStack): { subnetIds: string[]; securityGroupIds: string[] } {
  const { gateway, found } = gatewayInput(stack.input);
  const { network, domain } = found;
  const name = stack.names.securityGroup("functions");
  const group = new SecurityGroup(stack, "functions-group", {
    name,
    description: "api-router of the search gateway",
    vpcId: network.vpcId,
    tags: { Name: name },
    // The group can only be deleted after Lambda has deleted the function's network interfaces.
    timeouts: { delete: NETWORK_TIMEOUT },
  });
  const outside = !staysInVpc(stack.input.config, network);
  for (const [index, cidrIpv4] of (outside ? ["0.0.0.0/0"] : network.cidrBlocks).entries()) {
    new VpcSecurityGroupEgressRule(stack, `functions-egress-${index + 1}`, {
      securityGroupId: group.id,
      description: outside ? "HTTPS to services without an interface endpoint" : "HTTPS within the VPC",
      cidrIpv4,
      tags: { Name: `${name}-egress-${index + 1}` },
      ...HTTPS,
    });
  }
  if (gateway.vpc.create_domain_ingress) {
    new VpcSecurityGroupIngressRule(stack, "domain-ingress", {
      securityGroupId: gateway.vpc.domain_security_group_id ?? domain.securityGroupIds[0] ?? "",
      referencedSecurityGroupId: group.id,
      description: `${stack.input.config.project.project_name} search gateway`,
      tags: { Name: `${name}-to-domain` },
      ...HTTPS,
    });
  }
  stack.output("router_security_group_id", group.id);
  return { subnetIds: network.functionSubnets.map(({ id }) => id), securityGroupIds: [group.id] };
}
