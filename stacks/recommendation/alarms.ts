import { RECOMMENDATION_STAGES } from "../../lib/platform/contract/recommendation.ts";
import { alarm, DEGRADED_ANSWERS, requestAlarms } from "../constructs/alarms.ts";
import type { ProjectStack } from "../project-stack.ts";
import { configuredRecipes } from "./functions.ts";
import { OWN_METRICS, recommendationMetrics } from "./metrics.ts";

const SLOW_MS = 2_000;
/** A campaign normally answers in well under a second. */
const SLOW_CAMPAIGN_MS = 1_000;
/** An import blocks its dataset for some minutes; after an hour the queue is stuck. */
const OLD_MESSAGE_SECONDS = 3_600;
/** Delivery is late after this many buffer times; the stream buffers for at least a minute. */
const LATE_BUFFERS = 3;
const LEAST_BUFFER_SECONDS = 60;

/** Creates the alarms. */
export function recommendationAlarms(stack: ProjectStack, bufferSeconds: number): void {
  requestAlarms(stack, "recommendation", {
    fn: "recommendation-api",
    what: "service",
    slowMs: SLOW_MS,
    parts: "campaigns or tables",
    remedy: "raise the account's concurrency",
  });
  degradedAlarms(stack);
  campaignAlarms(stack);
  realtimeAlarms(stack);
  trainingAlarms(stack, bufferSeconds);
  alarm(stack, "recommendation-log-lost", {
    description:
      "Lines of the log of recommendations were lost: Lambda could not put failed events of recommendation-log-handler into its queue",
    metrics: {
      events: recommendationMetrics(stack).lambda("recommendation-log-handler", "DestinationDeliveryFailures"),
    },
  });
}

/** Missing parts of answers by stage. */
const LOST: Readonly<Record<(typeof RECOMMENDATION_STAGES)[number], string>> = {
  campaign: "popular items replaced those of a campaign",
  item_records: "items came as ids only",
  realtime: "changes and events did not reach Personalize at once",
  placement: "changed placements could not be read, so the ones before are in use",
  promotions: "promoted items came without a campaign, or not at all",
  diversity: "items are not as different as their placement says",
  fallback: "a list of the fallback chain, or what the built-in engine learned, could not be read",
};

function degradedAlarms(stack: ProjectStack): void {
  const { degraded, table } = recommendationMetrics(stack);
  for (const stage of RECOMMENDATION_STAGES) {
    alarm(stack, `recommendation-degraded-${stage.replaceAll("_", "-")}`, {
      description: (answers) =>
        `More than ${answers} answers were degraded: ${LOST[stage]}. Their "degraded" field has the reason`,
      metrics: { answers: degraded(stage) },
      above: DEGRADED_ANSWERS,
    });
  }
  for (const name of ["users", "items"] as const) {
    alarm(stack, `table-${name}-throttles`, {
      description: `The table of ${name} rejects reads or writes: its traffic grew faster than DynamoDB scales`,
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
      description: (ms) => `The campaign of ${recipe} takes longer than ${ms} ms: raise its min_provisioned_tps`,
      // Personalize documents the average of this metric, but no percentiles.
      metrics: { latency: campaign(recipe, "Latency", "Average") },
      above: SLOW_CAMPAIGN_MS,
      points: 3,
    });
    alarm(stack, `campaign-${name}-errors`, {
      description: `The campaign of ${recipe} rejects calls: it is throttled (raise min_provisioned_tps) or not active`,
      metrics: { refused: campaign(recipe, "4xxErrors", "Sum"), failed: campaign(recipe, "5xxErrors", "Sum") },
      expression: "FILL(refused, 0) + FILL(failed, 0)",
      above: DEGRADED_ANSWERS,
      points: 2,
    });
  }
}

function realtimeAlarms(stack: ProjectStack): void {
  const { queue, lambda } = recommendationMetrics(stack);
  alarm(stack, "realtime-queue-age", {
    description: (seconds) =>
      `A changed user or item has waited for Personalize for more than ${waited(seconds)}: see the log of realtime-sync`,
    metrics: { age: queue("realtime", "ApproximateAgeOfOldestMessage") },
    above: OLD_MESSAGE_SECONDS,
    points: 3,
  });
  alarm(stack, "realtime-dead-letters", {
    description:
      "Changes of users or items did not reach Personalize: find the cause in the log of realtime-sync, then redrive the " +
      "dead-letter queue. The next training includes the changes in any case",
    metrics: { messages: queue("realtime-dead-letters", "ApproximateNumberOfMessagesVisible") },
  });
  alarm(stack, "realtime-throttles", {
    description: "No instance of realtime-sync is free: raise the account's concurrency",
    metrics: { throttles: lambda("realtime-sync", "Throttles") },
    points: 3,
  });
}

function waited(seconds: number): string {
  return seconds === OLD_MESSAGE_SECONDS ? "an hour" : `${seconds} s`;
}

function trainingAlarms(stack: ProjectStack, bufferSeconds: number): void {
  const { machine, heldModels, own, delay } = recommendationMetrics(stack);
  for (const name of ["training", "etl", "teardown"] as const) {
    alarm(stack, `${name}-failed`, {
      description: `An execution of ${name} failed or timed out: \`relevance status\` and the state machine's log have the reason`,
      metrics: { failed: machine(name, "ExecutionsFailed"), late: machine(name, "ExecutionsTimedOut") },
      expression: "FILL(failed, 0) + FILL(late, 0)",
    });
  }
  for (const recipe of configuredRecipes(stack)) {
    alarm(stack, `held-model-${recipe.replaceAll("_", "-")}`, {
      description: `A new model of ${recipe} is worse than the active one and held back: the training's message has the numbers, \`relevance status\` lists it`,
      metrics: { held: heldModels(recipe) },
    });
  }
  alarm(stack, "built-in-engine-untrained", {
    description:
      "A training could not train the built-in engine, so what it learned before is in use: `relevance status` and the log " +
      "of training have the reason",
    metrics: { runs: own(OWN_METRICS.untrainedEngines) },
  });
  alarm(stack, "records-unstored", {
    description:
      "A table or the delivery stream did not take uploaded records, and callers were told to send them again: the log " +
      "of recommendation-api has the cause",
    metrics: { records: own(OWN_METRICS.unstoredRecords) },
  });
  alarm(stack, "events-uncounted", {
    description:
      "Accepted events could not be counted, so training cannot check that all arrived: see the log of recommendation-api",
    metrics: { events: own(OWN_METRICS.uncountedEvents) },
  });
  alarm(stack, "events-delivery", {
    description: "Accepted events do not reach the bucket: see the log of the delivery stream",
    metrics: { age: delay("events") },
    above: LATE_BUFFERS * Math.max(bufferSeconds, LEAST_BUFFER_SECONDS),
    points: 3,
  });
}
