import { CloudWatchClient, GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import {
  DescribeDomainCommand,
  DescribeDomainConfigCommand,
  OpenSearchClient,
  UpdateDomainConfigCommand,
} from "@aws-sdk/client-opensearch";
import { readEnvironment } from "../../lib/platform/environment.ts";
import { ClusterScalerEnv } from "./env.ts";
import { type ClusterScalerClients, createHandler } from "./handler.ts";

// No retries, because the next run is five minutes later.
const opensearch = new OpenSearchClient({ maxAttempts: 1 });
const cloudwatch = new CloudWatchClient({ maxAttempts: 1 });

const clients: ClusterScalerClients = {
  async describeDomain(DomainName) {
    const { DomainStatus } = await opensearch.send(new DescribeDomainCommand({ DomainName }));
    if (!DomainStatus) throw new Error(`DescribeDomain returned nothing for domain ${DomainName}`);
    return DomainStatus;
  },
  async describeDomainConfig(DomainName) {
    const { DomainConfig } = await opensearch.send(new DescribeDomainConfigCommand({ DomainName }));
    if (!DomainConfig) throw new Error(`DescribeDomainConfig returned nothing for domain ${DomainName}`);
    return DomainConfig;
  },
  async metrics(query) {
    const { MetricDataResults = [] } = await cloudwatch.send(new GetMetricDataCommand(query));
    return MetricDataResults;
  },
  async setInstanceCount(DomainName, InstanceCount) {
    await opensearch.send(new UpdateDomainConfigCommand({ DomainName, ClusterConfig: { InstanceCount } }));
  },
  print: (line) => process.stdout.write(`${line}\n`),
  now: () => new Date(),
};

export const handler = createHandler(readEnvironment(ClusterScalerEnv, process.env), clients);
