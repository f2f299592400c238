import type { GetMetricDataCommandInput, MetricDataResult } from "@aws-sdk/client-cloudwatch";
import type { DomainConfig, DomainStatus } from "@aws-sdk/client-opensearch";
import type { ClusterLoad, ClusterState } from "./decide.ts";

/** The parts of DescribeDomain's and DescribeDomainConfig's answers that describe a domain's state. */
export type DescribedDomain = Pick<DomainStatus, "ClusterConfig" | "DomainProcessingStatus" | "ChangeProgressDetails">;
export type DescribedConfig = Pick<DomainConfig, "ClusterConfig">;

/** Default number of zones with zone awareness. Source: ZoneAwarenessConfig, API reference. */
const DEFAULT_ZONES = 2;

/** Returns the state of a domain. */
export function clusterState(domain: DescribedDomain, config: DescribedConfig): ClusterState {
  const { ClusterConfig = {}, DomainProcessingStatus: status } = domain;
  const { InstanceCount, ZoneAwarenessEnabled, ZoneAwarenessConfig } = ClusterConfig;
  if (InstanceCount === undefined) throw new Error("DescribeDomain returned no number of data nodes");
  return {
    instanceCount: InstanceCount,
    zones: ZoneAwarenessEnabled ? (ZoneAwarenessConfig?.AvailabilityZoneCount ?? DEFAULT_ZONES) : 1,
    // The domain takes a change only while this is Active; the older flags of the answer, such as Processing, add nothing.
    // Source: AWS Big Data Blog, "Track Amazon OpenSearch Service configuration changes".
    busy: status === "Active" ? undefined : status,
    lastChange: lastChange(domain, config),
  };
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

/** Minutes of history. */
const WINDOW_MINUTES = 35;
const PERIOD_MINUTES = 5;

/** The metrics by query id, under which the answer returns them. */
const QUERIES = {
  cpu: { metric: "CPUUtilization", stat: "Average" },
  oldGeneration: { metric: "OldGenJVMMemoryPressure", stat: "Maximum" },
  heap: { metric: "JVMMemoryPressure", stat: "Maximum" },
  used: { metric: "ClusterUsedSpace", stat: "Maximum" },
  // Each node reports it: the average over the nodes.
  free: { metric: "FreeStorageSpace", stat: "Average" },
} as const;

/** Returns the CloudWatch query for a domain's load. Source: "Monitoring OpenSearch cluster metrics", Developer Guide. */
export function loadQuery(domain: string, account: string, now: Date): GetMetricDataCommandInput {
  const Dimensions = [
    { Name: "DomainName", Value: domain },
    { Name: "ClientId", Value: account },
  ];
  // Whole periods only: the current one is incomplete and would be misleading.
  const period = PERIOD_MINUTES * 60_000;
  const EndTime = new Date(Math.floor(now.getTime() / period) * period);
  return {
    StartTime: new Date(EndTime.getTime() - WINDOW_MINUTES * 60_000),
    EndTime,
    ScanBy: "TimestampAscending",
    MetricDataQueries: Object.entries(QUERIES).map(([Id, { metric, stat }]) => ({
      Id,
      MetricStat: {
        Metric: { Namespace: "AWS/ES", MetricName: metric, Dimensions },
        Period: PERIOD_MINUTES * 60,
        Stat: stat,
      },
    })),
  };
}

/** Returns the load in CloudWatch's answer. */
export function clusterLoad(results: readonly MetricDataResult[]): ClusterLoad {
  const values = (id: keyof typeof QUERIES) => results.find(({ Id }) => Id === id)?.Values ?? [];
  return {
    cpu: values("cpu"),
    jvm: lowest(values("oldGeneration")) ?? lowest(values("heap")),
    usedMegabytes: values("used").at(-1),
    freeMegabytesPerNode: values("free").at(-1),
  };
}

/**
 * Returns the lowest value. Used memory rises until garbage collection frees it, so only the lowest value shows the
 * real need. The old generation is the best measure: it excludes what the next young collection frees.
 */
function lowest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values);
}
