import { type Statement, writeLogs } from "../../lib/platform/aws/iam-statement.ts";

/** Returns the permissions of cluster-scaler: the domain, its configuration and its metrics. */
export function clusterScalerPolicy(arns: { domain: string; logGroup: string }): Statement[] {
  return [
    {
      sid: "ScaleTheDomain",
      actions: ["es:DescribeDomain", "es:DescribeDomainConfig", "es:UpdateDomainConfig"],
      resources: [arns.domain],
    },
    // CloudWatch supports no resource for this action. Source: Service Authorization Reference, Amazon CloudWatch.
    { sid: "ReadMetrics", actions: ["cloudwatch:GetMetricData"], resources: ["*"] },
    writeLogs(arns.logGroup),
  ];
}
