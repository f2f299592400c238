import { RECOMMENDATION_STAGES } from "../../lib/platform/contract/recommendation.ts";
import { alarm, requestAlarms } from "../constructs/alarms.ts";
import type { ProjectStack } from "../project-stack.ts";
import { configuredRecipes } from "./functions.ts";
import { OWN_METRICS, recommendationMetrics } from "./metrics.ts";

/** Delivery is late after this many buffer times; the stream buffers for at least a minute. */
const LATE_BUFFERS = 3;
const LEAST_BUFFER_SECONDS = 60;

/** Creates the alarms. */
export function recommendationAlarms(stack: ProjectStack, bufferSeconds: number): void {
  requestAlarms(stack, "recommendation", "recommendation-api");
  degradedAlarms(stack);
  campaignAlarms(stack);
  realtimeAlarms(stack);
  trainingAlarms(stack, bufferSeconds);
  alarm(stack, "recommendation-log-lost", {
    metrics: {
      events: recommendationMetrics(stack).lambda("recommendation-log-handler", "DestinationDeliveryFailures"),
    },
  });
}

function degradedAlarms(stack: ProjectStack): void {
  const { degraded, table } = recommendationMetrics(stack);
  for (const stage of RECOMMENDATION_STAGES) {
    alarm(stack, `recommendation-degraded-${stage.replaceAll("_", "-")}`, { metrics: { answers: degraded(stage) } });
  }
  for (const name of ["users", "items"] as const) {
    alarm(stack, `table-${name}-throttles`, {
      metrics: { reads: table(name, "ReadThrottleEvents"), writes: table(name, "WriteThrottleEvents") },
      expression: "FILL(reads, 0) + FILL(writes, 0)",
      points: 2,
    });
  }
}

function campaignAlarms(stack: ProjectStack): void {
  const { campaign } = recommendationMetrics(stack);
  for (const recipe of configuredRecipes(stack)) {
    const name = recipe.replaceAll("_", "-");
    alarm(stack, `campaign-${name}-latency`, {
      // Personalize documents the average of this metric, but no percentiles.
      metrics: { latency: campaign(recipe, "Latency", "Average") },
      points: 3,
    });
    alarm(stack, `campaign-${name}-errors`, {
      metrics: { refused: campaign(recipe, "4xxErrors", "Sum"), failed: campaign(recipe, "5xxErrors", "Sum") },
      expression: "FILL(refused, 0) + FILL(failed, 0)",
      points: 2,
    });
  }
}

function realtimeAlarms(stack: ProjectStack): void {
  const { queue, lambda } = recommendationMetrics(stack);
  alarm(stack, "realtime-queue-age", {
    metrics: { age: queue("realtime", "ApproximateAgeOfOldestMessage") },
    points: 3,
  });
  alarm(stack, "realtime-dead-letters", {
    metrics: { messages: queue("realtime-dead-letters", "ApproximateNumberOfMessagesVisible") },
  });
  alarm(stack, "realtime-throttles", {
    metrics: { throttles: lambda("realtime-sync", "Throttles") },
    points: 3,
  });
}

function trainingAlarms(stack: ProjectStack, bufferSeconds: number): void {
  const { machine, heldModels, own, delay } = recommendationMetrics(stack);
  for (const name of ["training", "etl", "teardown"] as const) {
    alarm(stack, `${name}-failed`, {
      metrics: { failed: machine(name, "ExecutionsFailed"), late: machine(name, "ExecutionsTimedOut") },
      expression: "FILL(failed, 0) + FILL(late, 0)",
    });
  }
  for (const recipe of configuredRecipes(stack)) {
    alarm(stack, `held-model-${recipe.replaceAll("_", "-")}`, { metrics: { held: heldModels(recipe) } });
  }
  alarm(stack, "built-in-engine-untrained", { metrics: { runs: own(OWN_METRICS.untrainedEngines) } });
  alarm(stack, "records-unstored", { metrics: { records: own(OWN_METRICS.unstoredRecords) } });
  alarm(stack, "events-uncounted", { metrics: { events: own(OWN_METRICS.uncountedEvents) } });
  alarm(stack, "events-delivery", {
    metrics: { age: delay("events") },
    above: LATE_BUFFERS * Math.max(bufferSeconds, LEAST_BUFFER_SECONDS),
    points: 3,
  });
}
