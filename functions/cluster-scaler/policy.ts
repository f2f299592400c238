import { type Statement, writeLogs } from "../../lib/aws/iam-statement.ts";

/** What cluster-scaler may do: read the domain and its metrics, and change the domain's configuration. */
export function clusterScalerPolicy(arns: { domain: string; logGroup: string }): Statement[] {
  return [
    {
      sid: "ScaleTheDomain",
      actions: ["es:DescribeDomain", "es:DescribeDomainConfig", "es:UpdateDomainConfig"],
      resources: [arns.domain],
    },
    // CloudWatch takes no resource here. Source: Service Authorization Reference, Amazon CloudWatch.
    { sid: "ReadMetrics", actions: ["cloudwatch:GetMetricData"], resources: ["*"] },
    writeLogs(arns.logGroup),
  ];
}
