import { hasSuggestions } from "../../lib/infrastructure/endpoints.ts";
import { ALARMED_STAGES, type AlarmedStage } from "../../lib/settings/alarms.ts";
import { alarm, requestAlarms } from "../constructs/alarms.ts";
import type { ProjectStack } from "../project-stack.ts";
import { gatewayMetrics } from "./metrics.ts";

/** Creates the alarms. */
export function gatewayAlarms(stack: ProjectStack): void {
  const metrics = gatewayMetrics(stack);
  const { config } = stack.input;
  requestAlarms(stack, "search-gateway", "api-router");
  const used: Readonly<Record<AlarmedStage, boolean>> = {
    embedding: metrics.models.length > 0,
    synonyms: config.searchGateway?.hybridQueries.some(({ synonyms }) => synonyms) ?? false,
    rules: config.searchGateway?.rules !== undefined,
    rerank: metrics.rerankers.length > 0,
    personalization: config.api.personalized_ranking.campaign_arn !== undefined,
  };
  for (const stage of ALARMED_STAGES.filter((stage) => used[stage])) {
    alarm(stack, `search-gateway-degraded-${stage}`, { metrics: { answers: metrics.degraded(stage) } });
  }
  for (const { name, latency, errors } of metrics.models) {
    const model = name.replaceAll("_", "-");
    alarm(stack, `model-${model}-latency`, {
      metrics: { latency: latency.metric },
      perUnit: latency.perSecond,
      points: 3,
    });
    alarm(stack, `model-${model}-errors`, {
      metrics: Object.fromEntries(errors.map((metric, index) => [`e${index + 1}`, metric])),
      expression: errors.map((_, index) => `FILL(e${index + 1}, 0)`).join(" + "),
    });
  }
  logAlarms(stack);
  if (config.searchGateway && hasSuggestions(config.searchGateway)) {
    alarm(stack, "suggestions-errors", { metrics: { errors: metrics.lambda("suggestions", "Errors") } });
  }
  if (config.searchGateway?.opensearch.auto_scaling) {
    alarm(stack, "cluster-scaler-errors", {
      metrics: { errors: metrics.lambda("cluster-scaler", "Errors") },
      points: 3,
    });
  }
}

function logAlarms(stack: ProjectStack): void {
  const metrics = gatewayMetrics(stack);
  alarm(stack, "request-log-errors", { metrics: { errors: metrics.lambda("log-handler", "Errors") } });
  alarm(stack, "request-log-lost", {
    metrics: { events: metrics.lambda("log-handler", "DestinationDeliveryFailures") },
  });
  alarm(stack, "request-log-unreadable", { metrics: { lines: metrics.unreadableLines } });
  alarm(stack, "request-log-delivery", {
    metrics: { age: metrics.delay("search-logs") },
    points: 3,
  });
  alarm(stack, "search-events-unstored", { metrics: { events: metrics.unstoredEvents } });
  alarm(stack, "search-events-delivery", {
    metrics: { age: metrics.delay("search-events") },
    points: 3,
  });
}
