import type { HostName } from "../constructs/host-name.ts";
import { gatewayInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";

/** Returns the gateway's own host name; undefined if it has none. */
export function gatewayHost({ input }: ProjectStack): HostName | undefined {
  const { gateway, found } = gatewayInput(input);
  const dns = gateway.domainNameSystem;
  if (!dns) return undefined;
  const host = `${dns.sub_domain_name}.${dns.domain_name}`;
  return { host, certificateArn: dns.certificate_arn, hostedZoneId: found.hostedZoneId };
}
