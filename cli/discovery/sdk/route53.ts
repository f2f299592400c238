import type { HostedZone } from "@aws-sdk/client-route-53";
import { ifThere } from "../../../lib/aws/errors.ts";
import { once } from "../../../lib/core/resilience/once.ts";
import type { DiscoveryClients, FoundZone } from "../clients.ts";
import type { SdkConfig } from "./config.ts";

/** Reads hosted zones. */
export function route53Reads(config: SdkConfig): Pick<DiscoveryClients, "zone" | "zonesNamed"> {
  const client = once(async () => {
    const { Route53Client } = await import("@aws-sdk/client-route-53");
    return new Route53Client(config);
  });
  return {
    async zone(Id) {
      const { GetHostedZoneCommand } = await import("@aws-sdk/client-route-53");
      const answer = (await client()).send(new GetHostedZoneCommand({ Id }));
      const found = (await ifThere(answer))?.HostedZone;
      return found && foundZone(found);
    },
    async zonesNamed(name) {
      const { ListHostedZonesByNameCommand } = await import("@aws-sdk/client-route-53");
      // The list is sorted and starts at this name, so its zones come first.
      const command = new ListHostedZonesByNameCommand({ DNSName: name });
      const { HostedZones = [] } = await (await client()).send(command);
      return HostedZones.map(foundZone).filter((zone) => zone.name === name);
    },
  };
}

function foundZone({ Id = "", Name = "", Config }: HostedZone): FoundZone {
  return {
    id: Id.replace(/^\/hostedzone\//, ""),
    name: Name.replace(/\.$/, ""),
    private: Config?.PrivateZone ?? false,
  };
}
