import { ApiGatewayBasePathMapping } from "@cdktf/provider-aws/lib/api-gateway-base-path-mapping/index.js";
import { ApiGatewayDomainName } from "@cdktf/provider-aws/lib/api-gateway-domain-name/index.js";
import { Route53Record } from "@cdktf/provider-aws/lib/route53-record/index.js";
import type { DeployedApi } from "../constructs/rest-api.ts";
import { gatewayInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";

/** Adds the API's own host name, with its DNS record if configured, and returns the API's URL. */
export function domainName(stack: ProjectStack, { api, stage }: DeployedApi): string {
  const { gateway, found } = gatewayInput(stack.input);
  const dns = gateway.domainNameSystem;
  if (!dns) return stage.invokeUrl;
  const host = `${dns.sub_domain_name}.${dns.domain_name}`;
  const domain = new ApiGatewayDomainName(stack, "domain-name", {
    domainName: host,
    regionalCertificateArn: dns.certificate_arn,
    securityPolicy: "TLS_1_2",
    endpointConfiguration: { types: ["REGIONAL"] },
  });
  new ApiGatewayBasePathMapping(stack, "base-path", {
    apiId: api.id,
    stageName: stage.stageName,
    domainName: domain.domainName,
  });
  if (found.hostedZoneId !== undefined) {
    new Route53Record(stack, "dns-record", {
      zoneId: found.hostedZoneId,
      name: host,
      type: "A",
      alias: { name: domain.regionalDomainName, zoneId: domain.regionalZoneId, evaluateTargetHealth: false },
    });
  }
  // The target for a DNS record that the user creates.
  stack.output("domain_name_target", domain.regionalDomainName);
  return `https://${host}`;
}
