import type { Construct } from "constructs";
import { SecurityGroup } from "#aws/security-group";
import { VpcSecurityGroupEgressRule } from "#aws/vpc-security-group-egress-rule";
import { VpcSecurityGroupIngressRule } from "#aws/vpc-security-group-ingress-rule";
import { routes } from "../functions/api-router/routes.ts";
import { routes as eventRoutes } from "../functions/search-events/routes.ts";
import { callsS3, staysInVpc } from "../lib/infrastructure/endpoints.ts";
import type { StackName } from "../lib/platform/naming/names.ts";
import { apiKeys } from "./constructs/api-keys.ts";
import { logKey } from "./constructs/keys.ts";
import { NETWORK_TIMEOUT } from "./constructs/network.ts";
import { requestLog } from "./constructs/request-log.ts";
import { type HostName, restApi } from "./constructs/rest-api.ts";
import { gatewayInput, type StackInput } from "./input.ts";
import { ProjectStack } from "./project-stack.ts";
import { gatewayAlarms } from "./search-gateway/alarms.ts";
import { gatewayDashboard } from "./search-gateway/metrics.ts";
import { deployEndpoints } from "./search-gateway/models.ts";
import { requestLogTables } from "./search-gateway/request-log.ts";
import { routerFunction } from "./search-gateway/router.ts";
import { clusterScaler } from "./search-gateway/scaler.ts";
import { searchEvents } from "./search-gateway/search-events.ts";
import { suggestions } from "./search-gateway/suggestions.ts";

/** The search gateway: API, functions, model endpoints, request log, alarms. */
export class SearchGatewayStack extends ProjectStack {
  constructor(scope: Construct, id: StackName, input: StackInput) {
    super(scope, id, input);
    const logKeyArn = logKey(this, "search-gateway").arn;
    const keys = apiKeys(this, "search-gateway");
    const endpoints = deployEndpoints(this, logKeyArn);
    const network = gatewayNetwork(this);
    const router = routerFunction(this, { logKeyArn, keys, after: endpoints }, network);
    requestLog(this, {
      ...{ kind: "search", source: router, logKeyArn },
      provisionedConcurrency: input.config.api.provisioned_concurrency.log_handler,
    });
    requestLogTables(this);
    restApi(this, {
      service: "search-gateway",
      parts: [
        { routes, functionName: "api-router", deployed: router },
        { routes: eventRoutes, functionName: "search-events", deployed: searchEvents(this, { logKeyArn, keys }) },
      ],
      logKeyArn,
      host: gatewayHost(this),
      keys,
    });
    const scaling = gatewayInput(input).gateway.opensearch.auto_scaling;
    if (scaling) clusterScaler(this, scaling, logKeyArn);
    suggestions(this, logKeyArn, network);
    gatewayAlarms(this);
    gatewayDashboard(this);
    this.output("router_role_arn", router.role.arn);
  }
}

/** Returns the gateway's own host name; undefined if it has none. */
function gatewayHost({ input }: ProjectStack): HostName | undefined {
  const { gateway, found } = gatewayInput(input);
  const dns = gateway.domainNameSystem;
  if (!dns) return undefined;
  const host = `${dns.sub_domain_name}.${dns.domain_name}`;
  return { host, certificateArn: dns.certificate_arn, hostedZoneId: found.hostedZoneId };
}

const HTTPS = { ipProtocol: "tcp", fromPort: 443, toPort: 443 } as const;

/** Adds api-router's security group and, unless the configuration opts out, a rule on one of the domain's groups for it. */
function gatewayNetwork(stack: ProjectStack): { subnetIds: string[]; securityGroupIds: string[] } {
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
  const prefixListId = network.prefixLists?.s3;
  if (!outside && callsS3(gateway) && prefixListId !== undefined) {
    new VpcSecurityGroupEgressRule(stack, "functions-egress-s3", {
      securityGroupId: group.id,
      description: "HTTPS to S3 through its gateway endpoint",
      prefixListId,
      tags: { Name: `${name}-egress-s3` },
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
