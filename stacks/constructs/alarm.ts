import { CloudwatchMetricAlarm } from "@cdktf/provider-aws/lib/cloudwatch-metric-alarm/index.js";
import { alarmTopics, type Severity, severityOf } from "../../lib/config/alarms.ts";
import type { ProjectStack } from "../project-stack.ts";
import type { Metric } from "./metrics.ts";

export interface AlarmOptions {
  /** What happened and where to look first; a function of the threshold if the text names it. */
  description: string | ((above: number) => string);
  /** Metrics, by their names in `expression`. */
  metrics: Readonly<Record<string, Metric>>;
  /** Metric math over the metrics; default: the only metric. */
  expression?: string;
  /** Threshold that triggers the alarm when exceeded, unless `alarms.rules` has another one. */
  above: number;
  /** Number of the metric's units in one of the threshold's. Default 1. */
  perUnit?: number;
  /** Length of a data point in minutes. Default 5. */
  minutes?: number;
  /** Consecutive data points above the threshold. Default 1. */
  points?: number;
}

/** Returns the ARN of the topic for alarms of a severity. */
export function alarmTopic({ names, input }: ProjectStack, severity: Severity): string {
  return alarmTopics(input.config.project.alarms, names)[severity];
}

/** Adds an alarm that notifies the topic of its severity. Missing data does not trigger it: an unused service has none. */
export function alarm(stack: ProjectStack, name: string, options: AlarmOptions): void {
  const { description, metrics, expression, perUnit = 1, minutes = 5, points = 1 } = options;
  const { alarms } = stack.input.config.project;
  const above = alarms.rules[name]?.threshold ?? options.above;
  const actions = [alarmTopic(stack, severityOf(name, alarms))];
  const queries = Object.entries(metrics).map(([id, { namespace, name, dimensions, stat }]) => ({
    id,
    metric: { namespace, metricName: name, dimensions: { ...dimensions }, stat, period: minutes * 60 },
    returnData: expression === undefined,
  }));
  new CloudwatchMetricAlarm(stack, `alarm-${name}`, {
    alarmName: stack.names.alarm(name),
    alarmDescription: typeof description === "string" ? description : description(above),
    metricQuery: [
      ...queries,
      ...(expression === undefined ? [] : [{ id: "result", expression, label: name, returnData: true }]),
    ],
    comparisonOperator: "GreaterThanThreshold",
    threshold: above * perUnit,
    evaluationPeriods: points,
    datapointsToAlarm: points,
    treatMissingData: "notBreaching",
    alarmActions: actions,
    okActions: actions,
  });
}
