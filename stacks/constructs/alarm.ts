import { CloudwatchMetricAlarm } from "@cdktf/provider-aws/lib/cloudwatch-metric-alarm/index.js";
import type { ProjectStack } from "../project-stack.ts";

/** A CloudWatch metric. */
export interface Metric {
  namespace: string;
  name: string;
  dimensions: Readonly<Record<string, string>>;
  /** Such as "Sum" or "p99". */
  stat: string;
}

export interface AlarmOptions {
  /** What happened and where to look first. */
  description: string;
  /** Metrics, by their names in `expression`. */
  metrics: Readonly<Record<string, Metric>>;
  /** Metric math over the metrics; default: the only metric. */
  expression?: string;
  /** Threshold that triggers the alarm when exceeded. */
  above: number;
  /** Length of a data point in minutes. Default 5. */
  minutes?: number;
  /** Consecutive data points above the threshold. Default 1. */
  points?: number;
}

/** Adds an alarm that notifies the project's topic. Missing data does not trigger it: an unused service has none. */
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
