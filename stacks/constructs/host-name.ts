import { ApiGatewayBasePathMapping } from "@cdktf/provider-aws/lib/api-gateway-base-path-mapping/index.js";
import { ApiGatewayDomainName } from "@cdktf/provider-aws/lib/api-gateway-domain-name/index.js";
import type { ApiGatewayRestApi } from "@cdktf/provider-aws/lib/api-gateway-rest-api/index.js";
import type { ApiGatewayStage } from "@cdktf/provider-aws/lib/api-gateway-stage/index.js";
import { Route53Record } from "@cdktf/provider-aws/lib/route53-record/index.js";
import type { ProjectStack } from "../project-stack.ts";

/** An API and the stage that serves it. */
export interface DeployedApi {
  api: ApiGatewayRestApi;
  stage: ApiGatewayStage;
}

/** A host name of the user's. */
export interface HostName {
  host: string;
  certificateArn: string;
  /** Zone of the DNS record; without it the user creates the record. */
  hostedZoneId?: string | undefined;
}

/** Adds an API's own host name, with its DNS record if a zone is given, and returns the API's URL. */
export function hostName(stack: ProjectStack, { api, stage }: DeployedApi, options: HostName): string {
  const { host, certificateArn, hostedZoneId } = options;
  const domain = new ApiGatewayDomainName(stack, "domain-name", {
    domainName: host,
    regionalCertificateArn: certificateArn,
    securityPolicy: "TLS_1_2",
    endpointConfiguration: { types: ["REGIONAL"] },
  });
  new ApiGatewayBasePathMapping(stack, "base-path", {
    apiId: api.id,
    stageName: stage.stageName,
    domainName: domain.domainName,
  });
  if (hostedZoneId !== undefined) {
    new Route53Record(stack, "dns-record", {
      zoneId: hostedZoneId,
      name: host,
      type: "A",
      alias: { name: domain.regionalDomainName, zoneId: domain.regionalZoneId, evaluateTargetHealth: false },
    });
  }
  // The target for a DNS record that the user creates.
  stack.output("domain_name_target", domain.regionalDomainName);
  return `https://${host}`;
}
