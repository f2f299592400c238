/**
 * AWS's public prices of us-east-1 in dollars, by usage, for what the Price List API does not answer: without permission, or
 * because the name of its usage type is unverified. Those without a service in {@link MonthlyUsage} are such. They were put
 * together from public notes that cite the price pages which docs/guides/costs.md links, not read from these pages.
 */
export const PUBLIC_PRICES: Readonly<Record<string, number>> = {
  "TPS-hours": 0.2,
  "training hours": 0.24,
  "recommendation requests": 0.00015,
  "trained interactions": 0.000002,
  "imported gigabytes": 0.05,
  dashboards: 3,
  "Host:ml.c6i.2xlarge": 0.408,
  "Host:ml.g5.xlarge": 1.408,
  "Lambda-Provisioned-Concurrency-ARM": 0.0000033334,
  "VpcEndpoint-Hours": 0.01,
  "KMS-Keys": 1,
  "AWSSecretsManager-Secrets": 0.4,
  "CW:AlarmMonitorUsage": 0.1,
  "CW:MetricMonitorUsage": 0.3,
  ApiGatewayRequest: 0.0000035,
  "Request-ARM": 0.0000002,
  "Lambda-GB-Second-ARM": 0.0000133334,
  "DataProcessing-Bytes": 0.5,
  BilledBytes: 0.029,
  "XRay-TracesStored": 0.000005,
  "DataTransfer-Out-Bytes": 0.09,
  ReadRequestUnits: 0.000000125,
  WriteRequestUnits: 0.000000625,
};

/** The day on which the prices above were put together. */
export const PUBLIC_DAY = "2026-11-29";
