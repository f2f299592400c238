import { CloudwatchMetricAlarm } from "#aws/cloudwatch-metric-alarm";
import type { FunctionName, Service } from "../../lib/platform/naming/names.ts";
import { alarmTopics, type Severity, severityOf } from "../../lib/settings/alarms.ts";
import type { ProjectStack } from "../project-stack.ts";
import { type Metric, serviceMetrics } from "./metrics.ts";

interface AlarmOptions {
  /** Description of the alarm and first thing to check; a function of the threshold if the text names it. */
  description: string | ((above: number) => string);
  /** Metrics, by their names in `expression`. */
  metrics: Readonly<Record<string, Metric>>;
  /** Metric math over the metrics; default: the only metric. */
  expression?: string;
  /** Threshold that triggers the alarm when exceeded, unless `alarms.rules` has another one. Default 0. */
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
  const { description, metrics, expression, perUnit = 1, minutes = 5, points = 1 } = options;
  const { alarms } = stack.input.config.project;
  const above = alarms.rules[name]?.threshold ?? options.above ?? 0;
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

/** Share of answers with status 5xx, in percent. */
const FAILED_PERCENT = 1;
/** No alarm below this many calls in five minutes. */
const FEWEST_CALLS = 20;
/** Degraded answers, or failed calls of a campaign, in five minutes. */
export const DEGRADED_ANSWERS = 10;

interface RequestAlarmOptions {
  /** The function that answers. */
  fn: FunctionName;
  /** Display name of the service. */
  what: string;
  slowMs: number;
  /** Likely causes of slowness. */
  parts: string;
  /** Advice if no instance is free. */
  remedy: string;
}

/** Adds the alarms about failed, slow and throttled answers of a service. */
export function requestAlarms(stack: ProjectStack, service: Service, options: RequestAlarmOptions): void {
  const { api, lambda } = serviceMetrics(stack, service);
  const { fn, what, slowMs, parts, remedy } = options;
  alarm(stack, `${service}-5xx`, {
    description: (percent) => `More than ${percent} % of the answers are errors of the ${what}: see the log of ${fn}`,
    metrics: { failed: api("5XXError", "Sum"), calls: api("Count", "Sum") },
    expression: `IF(calls >= ${FEWEST_CALLS}, 100 * failed / calls, 0)`,
    above: FAILED_PERCENT,
    points: 2,
  });
  alarm(stack, `${service}-p99`, {
    description: (ms) =>
      `One answer in a hundred takes longer than ${ms} ms: the dashboard shows whether ${parts} are slow`,
    metrics: { latency: api("Latency", "p99"), calls: api("Count", "Sum") },
    expression: `IF(calls >= ${FEWEST_CALLS}, latency, 0)`,
    above: slowMs,
    points: 3,
  });
  alarm(stack, `${service}-throttles`, {
    description: `Requests are rejected because no instance of ${fn} is free: ${remedy}`,
    metrics: { throttles: lambda(fn, "Throttles") },
  });
}
