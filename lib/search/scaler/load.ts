import type { GetMetricDataCommandInput, MetricDataResult } from "@aws-sdk/client-cloudwatch";
import type { ClusterLoad } from "./decide.ts";

/** Minutes of history, and minutes per value. */
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
  // Whole periods: the current one is incomplete and would look quiet or busy by chance.
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
 * Memory that is in use rises until garbage collection frees it, so only the lowest value says what the cluster really
 * needs. The old generation says it best: it does not contain what the next young collection frees.
 */
function lowest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values);
}
