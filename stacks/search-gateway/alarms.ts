import { hasSuggestions } from "../../lib/infrastructure/endpoints.ts";
import { ALARMED_STAGES, type AlarmedStage } from "../../lib/settings/alarms.ts";
import { alarm, DEGRADED_ANSWERS, requestAlarms } from "../constructs/alarms.ts";
import type { ProjectStack } from "../project-stack.ts";
import { gatewayMetrics } from "./metrics.ts";

/** Interactive searches usually time out around here. */
const SLOW_MS = 3_000;
/** The gateway waits a few seconds for a model, then answers without it. */
const SLOW_MODEL_SECONDS = 2;
const FAILED_MODEL_CALLS = 5;
/** Firehose writes every five minutes. */
const LATE_SECONDS = 900;

/** Creates the alarms. */
export function gatewayAlarms(stack: ProjectStack): void {
  const metrics = gatewayMetrics(stack);
  const { config } = stack.input;
  requestAlarms(stack, "search-gateway", {
    fn: "api-router",
    what: "gateway",
    slowMs: SLOW_MS,
    parts: "cluster or models",
    remedy: "raise its concurrency or the account's",
  });
  const used: Readonly<Record<AlarmedStage, boolean>> = {
    embedding: metrics.models.length > 0,
    synonyms: config.searchGateway?.hybridQueries.some(({ synonyms }) => synonyms) ?? false,
    rules: config.searchGateway?.rules !== undefined,
    rerank: metrics.rerankers.length > 0,
    personalization: config.api.personalized_ranking.campaign_arn !== undefined,
  };
  for (const stage of ALARMED_STAGES.filter((stage) => used[stage])) {
    alarm(stack, `search-gateway-degraded-${stage}`, {
      description: `Answers come without ${stage}: "degraded" in the request log has the reason`,
      metrics: { answers: metrics.degraded(stage) },
      above: DEGRADED_ANSWERS,
    });
  }
  for (const { name, latency, errors } of metrics.models) {
    const model = name.replaceAll("_", "-");
    alarm(stack, `model-${model}-latency`, {
      description: (seconds) =>
        `One call in a hundred to ${name} takes longer than ${seconds} s: add instances, or raise their maximum`,
      metrics: { latency: latency.metric },
      above: SLOW_MODEL_SECONDS,
      perUnit: latency.perSecond,
      points: 3,
    });
    alarm(stack, `model-${model}-errors`, {
      description: `Calls to ${name} fail: see the log of its endpoint, or its quota`,
      metrics: Object.fromEntries(errors.map((metric, index) => [`e${index + 1}`, metric])),
      expression: errors.map((_, index) => `FILL(e${index + 1}, 0)`).join(" + "),
      above: FAILED_MODEL_CALLS,
    });
  }
  logAlarms(stack);
  if (config.searchGateway && hasSuggestions(config.searchGateway)) {
    alarm(stack, "suggestions-errors", {
      description: "Suggestions stay as they were: see the log of suggestions",
      metrics: { errors: metrics.lambda("suggestions", "Errors") },
    });
  }
  if (config.searchGateway?.opensearch.auto_scaling) {
    alarm(stack, "cluster-scaler-errors", {
      description: "The cluster is not scaled: see the log of cluster-scaler",
      metrics: { errors: metrics.lambda("cluster-scaler", "Errors") },
      points: 3,
    });
  }
}

function logAlarms(stack: ProjectStack): void {
  const metrics = gatewayMetrics(stack);
  alarm(stack, "request-log-errors", {
    description: "Request log lines are late and come back: see the log of log-handler",
    metrics: { errors: metrics.lambda("log-handler", "Errors") },
  });
  alarm(stack, "request-log-lost", {
    description: "Request log lines were lost: Lambda could not put failed events of log-handler into its queue",
    metrics: { events: metrics.lambda("log-handler", "DestinationDeliveryFailures") },
  });
  alarm(stack, "request-log-unreadable", {
    description:
      "Request log lines were unreadable and dropped: see the logs of log-handler and recommendation-log-handler",
    metrics: { lines: metrics.unreadableLines },
  });
  alarm(stack, "request-log-delivery", {
    description: "The request log does not reach the bucket: see the log of the delivery stream",
    metrics: { age: metrics.delay("search-logs") },
    above: LATE_SECONDS,
    points: 3,
  });
  alarm(stack, "search-events-unstored", {
    description: "Events were not accepted: see the log of search-events",
    metrics: { events: metrics.unstoredEvents },
  });
  alarm(stack, "search-events-delivery", {
    description: "Events of searches do not reach the bucket: see the log of the delivery stream",
    metrics: { age: metrics.delay("search-events") },
    above: LATE_SECONDS,
    points: 3,
  });
}
