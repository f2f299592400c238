import type { Construct } from "constructs";
import { ApiGatewayAccount } from "#aws/api-gateway-account";
import { IamRolePolicyAttachment } from "#aws/iam-role-policy-attachment";
import { SecurityGroup } from "#aws/security-group";
import { SnsTopic } from "#aws/sns-topic";
import { VpcEndpoint } from "#aws/vpc-endpoint";
import { VpcSecurityGroupIngressRule } from "#aws/vpc-security-group-ingress-rule";
import { endpointServiceName, type NetworkDiscovery } from "../lib/infrastructure/discovery.ts";
import { type OwnEndpoint, ownEndpoints, ownGateways } from "../lib/infrastructure/endpoints.ts";
import type { StackName } from "../lib/platform/naming/names.ts";
import { serviceRole } from "./constructs/iam.ts";
import type { StackInput } from "./input.ts";
import { ProjectStack } from "./project-stack.ts";

/** Infrastructure that both services share: API Gateway's log role, the alarm topic, interface endpoints. */
export class FoundationStack extends ProjectStack {
  constructor(scope: Construct, id: StackName, input: StackInput) {
    super(scope, id, input);
    this.logRole();
    const topic = new SnsTopic(this, "alarms", {
      name: this.names.topic(),
      displayName: `${input.config.project.project_name} alarms`,
      kmsMasterKeyId: input.config.project.aws.kms_key_arn ?? this.names.kmsAlias(),
      policy: this.topicPolicy(),
    });
    this.output("alarms_topic_arn", topic.arn);
    const { searchGateway } = input.discovery;
    if (!searchGateway) return;
    this.gateways(searchGateway.network);
    const endpoints = ownEndpoints(input.config, searchGateway.network);
    if (endpoints.length > 0) this.endpoints(endpoints, searchGateway.network);
  }

  /** Lets the account's alarms publish; roles have permissions of their own. */
  private topicPolicy(): string {
    const Resource = this.names.arn("sns", this.names.topic());
    const alarms = {
      Sid: "Alarms",
      Effect: "Allow",
      Principal: { Service: "cloudwatch.amazonaws.com" },
      Action: "sns:Publish",
      Resource,
      Condition: { StringEquals: { "aws:SourceAccount": this.input.discovery.account } },
    };
    return JSON.stringify({ Version: "2012-10-17", Statement: [alarms, this.tlsOnly("sns:Publish", Resource)] });
  }

  /**
   * The setting applies to all APIs of the account and region. Keeps a foreign role that is set, uses an existing role
   * unchanged, and imports our role if an earlier deployment left it. `removal.ts` forgets the setting instead of
   * deleting it, because later versions of the provider would reset it.
   */
  private logRole(): void {
    const { logRoleArn, role } = this.input.discovery.apiGateway;
    const foreign = role.exists && !role.owned;
    const roleArn = foreign ? this.names.roleArn(role.name, "/") : this.names.roleArn(role.name);
    if (logRoleArn !== undefined && logRoleArn !== roleArn) return;
    const created = foreign ? undefined : this.createLogRole(role);
    new ApiGatewayAccount(this, "api-gateway-account", {
      cloudwatchRoleArn: created?.role.arn ?? roleArn,
      ...(created && { dependsOn: [created.permission] }),
    });
  }

  private createLogRole({ name, exists }: { name: string; exists: boolean }) {
    const role = serviceRole(this, "api-gateway-logs", {
      name,
      description: "API Gateway writes logs of all APIs of this account and region",
      service: "apigateway.amazonaws.com",
    });
    if (exists) this.addOverride("import", [{ to: "aws_iam_role.api-gateway-logs", id: name }]);
    const permission = new IamRolePolicyAttachment(this, "api-gateway-logs-policy", {
      role: role.name,
      policyArn: `arn:${this.names.partition()}:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs`,
    });
    return { role, permission };
  }

  /** They change where the route tables lead, for everybody who uses them, and keep AWS's policy, which allows all. */
  private gateways(network: NetworkDiscovery) {
    for (const { service, routeTableIds } of ownGateways(this.input.config, network)) {
      new VpcEndpoint(this, `gateway-${service}`, {
        vpcId: network.vpcId,
        serviceName: endpointServiceName(this.input.discovery.region, service),
        vpcEndpointType: "Gateway",
        routeTableIds,
        tags: { Name: this.names.vpcEndpoint(service) },
      });
    }
  }

  private endpoints(endpoints: readonly OwnEndpoint[], network: NetworkDiscovery) {
    const { vpcId, cidrBlocks, endpointServiceNames: named } = network;
    const group = new SecurityGroup(this, "endpoints-group", {
      name: this.names.securityGroup("endpoints"),
      description: "Interface endpoints, open to the whole VPC since their private names redirect it",
      vpcId,
      tags: { Name: this.names.securityGroup("endpoints") },
    });
    for (const [index, cidrIpv4] of cidrBlocks.entries()) {
      new VpcSecurityGroupIngressRule(this, `endpoints-ingress-${index + 1}`, {
        securityGroupId: group.id,
        description: "HTTPS from the VPC",
        tags: { Name: `${this.names.securityGroup("endpoints")}-ingress-${index + 1}` },
        cidrIpv4,
        ipProtocol: "tcp",
        fromPort: 443,
        toPort: 443,
      });
    }
    for (const { service, subnetIds } of endpoints) {
      new VpcEndpoint(this, `endpoint-${service.replaceAll(".", "-")}`, {
        vpcId,
        serviceName: named?.[service] ?? endpointServiceName(this.input.discovery.region, service),
        vpcEndpointType: "Interface",
        privateDnsEnabled: true,
        subnetIds,
        securityGroupIds: [group.id],
        tags: { Name: this.names.vpcEndpoint(service) },
      });
    }
  }
}
