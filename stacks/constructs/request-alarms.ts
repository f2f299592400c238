import type { FunctionName, Service } from "../../lib/core/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";
import { alarm } from "./alarm.ts";
import { serviceMetrics } from "./metrics.ts";

/** Share of answers with status 5xx, in percent. */
const FAILED_PERCENT = 1;
/** No alarm below this many calls in five minutes. */
const FEWEST_CALLS = 20;
/** Degraded answers, or failed calls of a campaign, in five minutes. */
export const DEGRADED_ANSWERS = 10;

export interface RequestAlarmOptions {
  /** The function that answers. */
  fn: FunctionName;
  /** What the service calls itself. */
  what: string;
  slowMs: number;
  /** What may make it slow. */
  parts: string;
  /** What to do if no instance is free. */
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
    above: 0,
  });
}
