import type { GetMetricDataCommandInput, MetricDataResult } from "@aws-sdk/client-cloudwatch";
import { decide, loadAfter } from "../../lib/search/scaler/decide.ts";
import {
  clusterLoad,
  clusterState,
  type DescribedConfig,
  type DescribedDomain,
  loadQuery,
} from "../../lib/search/scaler/domain-state.ts";
import type { ClusterScalerEnv } from "./env.ts";

export interface ClusterScalerClients {
  describeDomain(name: string): Promise<DescribedDomain>;
  describeDomainConfig(name: string): Promise<DescribedConfig>;
  metrics(query: GetMetricDataCommandInput): Promise<MetricDataResult[]>;
  /** Changes the number of data nodes and nothing else. */
  setInstanceCount(name: string, count: number): Promise<void>;
  /** Writes one line to the function's own log. */
  print(line: string): void;
  now(): Date;
}

/** Returns a handler that reads the cluster's state and load, scales the data nodes if needed, and logs a line. */
export function createHandler(env: ClusterScalerEnv, clients: ClusterScalerClients) {
  const { DOMAIN_NAME: domain, ACCOUNT_ID: account } = env;
  const rules = {
    minCount: env.MIN_INSTANCE_COUNT,
    maxCount: env.MAX_INSTANCE_COUNT,
    scaleDownCpu: env.SCALE_DOWN_CPU_PERCENT,
    scaleUpCpu: env.SCALE_UP_CPU_PERCENT,
  };
  return async (): Promise<void> => {
    const now = clients.now();
    const [described, config, metrics] = await Promise.all([
      clients.describeDomain(domain),
      clients.describeDomainConfig(domain),
      clients.metrics(loadQuery(domain, account, now)),
    ]);
    const state = clusterState(described, config);
    const load = clusterLoad(metrics);
    const { action, reason, count, veto } = decide(rules, state, load, now);
    const { disk, jvm } = loadAfter(state, load, state.instanceCount);
    const line = {
      decision: action,
      domain,
      reason,
      ...(veto !== undefined && { veto }),
      instances: state.instanceCount,
      ...(count !== undefined && { new_instances: count }),
      zones: state.zones,
      cpu_percent: rounded(load.cpu.at(-1)),
      disk_percent: rounded(disk),
      jvm_percent: rounded(jvm),
    };
    if (count === undefined) {
      clients.print(JSON.stringify({ level: "info", ...line }));
      return;
    }
    try {
      await clients.setInstanceCount(domain, count);
    } catch (error) {
      clients.print(JSON.stringify({ level: "error", ...line, error: String(error) }));
      throw error;
    }
    clients.print(JSON.stringify({ level: "info", ...line }));
  };
}

function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 10) / 10;
}
