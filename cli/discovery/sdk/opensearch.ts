import type { DomainStatus } from "@aws-sdk/client-opensearch";
import { ifThere } from "../../../lib/aws/errors.ts";
import type { DiscoveryClients, FoundDomain } from "../clients.ts";
import { given, type SdkConfig } from "./config.ts";

/** Zones of a zone-aware domain without a zone count. Source: ZoneAwarenessConfig, API reference. */
const DEFAULT_ZONES = 2;

/** Reads domains. */
export function openSearchReads(config: SdkConfig): Pick<DiscoveryClients, "domain"> {
  return {
    async domain(DomainName) {
      const { DescribeDomainCommand, OpenSearchClient } = await import("@aws-sdk/client-opensearch");
      const answer = new OpenSearchClient(config).send(new DescribeDomainCommand({ DomainName }));
      const found = (await ifThere(answer))?.DomainStatus;
      return found && !found.Deleted ? foundDomain(found) : undefined;
    },
  };
}

function foundDomain(status: DomainStatus): FoundDomain {
  const { ARN, EngineVersion, ClusterConfig, VPCOptions, DomainEndpointOptions } = status;
  const custom = DomainEndpointOptions?.CustomEndpointEnabled ? DomainEndpointOptions.CustomEndpoint : undefined;
  const endpoints = [...Object.values(status.Endpoints ?? {}), status.EndpointV2, status.Endpoint, custom];
  const { ZoneAwarenessEnabled, ZoneAwarenessConfig, InstanceCount = 1 } = ClusterConfig ?? {};
  return {
    arn: given(ARN, "the ARN of the domain"),
    engineVersion: given(EngineVersion, "the engine of the domain"),
    endpoints: [...new Set(endpoints.flatMap((host) => host || []))],
    vpcId: VPCOptions?.VPCId || undefined,
    subnetIds: VPCOptions?.SubnetIds ?? [],
    securityGroupIds: VPCOptions?.SecurityGroupIds ?? [],
    instanceCount: InstanceCount,
    zones: ZoneAwarenessEnabled ? (ZoneAwarenessConfig?.AvailabilityZoneCount ?? DEFAULT_ZONES) : 1,
    fineGrainedAccess: status.AdvancedSecurityOptions?.Enabled ?? false,
  };
}
