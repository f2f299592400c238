import { CloudwatchMetricAlarm } from "@cdktf/provider-aws/lib/cloudwatch-metric-alarm/index.js";
import type { ProjectStack } from "../project-stack.ts";

/** A metric of CloudWatch. */
export interface Metric {
  namespace: string;
  name: string;
  dimensions: Readonly<Record<string, string>>;
  /** As in "Sum" or "p99". */
  stat: string;
}

export interface AlarmOptions {
  /** What has happened and where to look first. */
  description: string;
  /** Metrics by the names that `expression` uses. */
  metrics: Readonly<Record<string, Metric>>;
  /** Metric math over them; absent: the only one as it is. */
  expression?: string;
  /** It rings above this. */
  above: number;
  /** Minutes of a data point. Default 5. */
  minutes?: number;
  /** Data points in a row. Default 1. */
  points?: number;
}

/** An alarm of the project's topic. No data is no trouble: a service that nobody calls has none. */
export function alarm(stack: ProjectStack, name: string, options: AlarmOptions): void {
  const { description, metrics, expression, above, minutes = 5, points = 1 } = options;
  const actions = [stack.names.arn("sns", stack.names.topic())];
  const queries = Object.entries(metrics).map(([id, { namespace, name, dimensions, stat }]) => ({
    id,
    metric: { namespace, metricName: name, dimensions: { ...dimensions }, stat, period: minutes * 60 },
    returnData: expression === undefined,
  }));
  new CloudwatchMetricAlarm(stack, `alarm-${name}`, {
    alarmName: stack.names.alarm(name),
    alarmDescription: description,
    metricQuery: [
      ...queries,
      ...(expression === undefined ? [] : [{ id: "result", expression, label: name, returnData: true }]),
    ],
    comparisonOperator: "GreaterThanThreshold",
    threshold: above,
    evaluationPeriods: points,
    datapointsToAlarm: points,
    treatMissingData: "notBreaching",
    alarmActions: actions,
    okActions: actions,
  });
}
