import { CloudwatchMetricAlarm } from "#aws/cloudwatch-metric-alarm";
import type { FunctionName, Service } from "../../lib/platform/naming/names.ts";
import { alarmOf, alarmTopics, type Severity } from "../../lib/settings/alarms.ts";
import type { ProjectStack } from "../project-stack.ts";
import { type Metric, serviceMetrics } from "./metrics.ts";

interface AlarmOptions {
  /** Metrics, by their names in `expression`. */
  metrics: Readonly<Record<string, Metric>>;
  /** Metric math over the metrics; default: the only metric. */
  expression?: string;
  /** Threshold, if it is not that of `ALARMS`. `alarms.rules` wins. */
  above?: number;
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
  const { metrics, expression, perUnit = 1, minutes = 5, points = 1 } = options;
  const { above, description, severity } = alarmOf(name, stack.input.config.project.alarms, options.above);
  const actions = [alarmTopic(stack, severity)];
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
    threshold: above * perUnit,
    evaluationPeriods: points,
    datapointsToAlarm: points,
    treatMissingData: "notBreaching",
    alarmActions: actions,
    okActions: actions,
  });
}

/** No alarm below this many calls in five minutes. */
const FEWEST_CALLS = 20;

/** Adds the alarms about failed, slow and throttled answers of a service, which a function gives. */
export function requestAlarms(stack: ProjectStack, service: Service, fn: FunctionName): void {
  const { api, lambda } = serviceMetrics(stack, service);
  alarm(stack, `${service}-5xx`, {
    metrics: { failed: api("5XXError", "Sum"), calls: api("Count", "Sum") },
    expression: `IF(calls >= ${FEWEST_CALLS}, 100 * failed / calls, 0)`,
    points: 2,
  });
  alarm(stack, `${service}-p99`, {
    metrics: { latency: api("Latency", "p99"), calls: api("Count", "Sum") },
    expression: `IF(calls >= ${FEWEST_CALLS}, latency, 0)`,
    points: 3,
  });
  alarm(stack, `${service}-throttles`, { metrics: { throttles: lambda(fn, "Throttles") } });
}
