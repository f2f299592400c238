import type { DomainConfig, DomainStatus } from "@aws-sdk/client-opensearch";
import type { ClusterState } from "./decide.ts";

/** The parts of DescribeDomain's and DescribeDomainConfig's answers that describe a domain's state. */
export type DescribedDomain = Pick<
  DomainStatus,
  | "ClusterConfig"
  | "Processing"
  | "UpgradeProcessing"
  | "Deleted"
  | "DomainProcessingStatus"
  | "ServiceSoftwareOptions"
  | "ChangeProgressDetails"
>;
export type DescribedConfig = Pick<DomainConfig, "ClusterConfig">;

/** Default number of zones with zone awareness. Source: ZoneAwarenessConfig, API reference. */
const DEFAULT_ZONES = 2;

/** Returns the state of a domain. */
export function clusterState(domain: DescribedDomain, config: DescribedConfig): ClusterState {
  const { InstanceCount, ZoneAwarenessEnabled, ZoneAwarenessConfig } = domain.ClusterConfig ?? {};
  if (InstanceCount === undefined) throw new Error("DescribeDomain returned no number of data nodes");
  return {
    instanceCount: InstanceCount,
    zones: ZoneAwarenessEnabled ? (ZoneAwarenessConfig?.AvailabilityZoneCount ?? DEFAULT_ZONES) : 1,
    busyWith: busyWith(domain, config),
    lastChange: lastChange(domain, config),
  };
}

function busyWith(domain: DescribedDomain, config: DescribedConfig): string | undefined {
  if (domain.Deleted) return "its deletion";
  if (domain.UpgradeProcessing) return "an upgrade";
  if (domain.ServiceSoftwareOptions?.UpdateStatus === "IN_PROGRESS") return "a software update";
  const status = domain.DomainProcessingStatus;
  if (domain.Processing || config.ClusterConfig?.Status?.State === "Processing") return "a configuration change";
  if (status !== undefined && status !== "Active") return `a change (${status})`;
  return undefined;
}

/** Returns the end of the last change if it is known: a change can take longer than the cool-down. */
function lastChange(domain: DescribedDomain, config: DescribedConfig): Date | undefined {
  const status = config.ClusterConfig?.Status;
  // The first configuration of a domain is not a change.
  const changed =
    status && status.UpdateDate?.getTime() !== status.CreationDate?.getTime() ? status.UpdateDate : undefined;
  const times = [changed, domain.ChangeProgressDetails?.LastUpdatedTime].flatMap((time) => time ?? []);
  return times.toSorted((a, b) => a.getTime() - b.getTime()).at(-1);
}
