import { hostName } from "../constructs/host-name.ts";
import type { DeployedApi } from "../constructs/rest-api.ts";
import { gatewayInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";

/** Adds the gateway's own host name, if it has one, and returns the API's URL. */
export function domainName(stack: ProjectStack, deployed: DeployedApi): string {
  const { gateway, found } = gatewayInput(stack.input);
  const dns = gateway.domainNameSystem;
  const host = gatewayHost(stack);
  if (!dns || host === undefined) return deployed.stage.invokeUrl;
  return hostName(stack, deployed, { host, certificateArn: dns.certificate_arn, hostedZoneId: found.hostedZoneId });
}

/** Returns the gateway's own host name; undefined if it has none. */
export function gatewayHost({ input }: ProjectStack): string | undefined {
  const dns = gatewayInput(input).gateway.domainNameSystem;
  return dns ? `${dns.sub_domain_name}.${dns.domain_name}` : undefined;
}
