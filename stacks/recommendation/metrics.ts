import type { RecipeKind } from "../../lib/config/recipes.ts";
import type { Stage } from "../../lib/core/http/degradation.ts";
import { API_STAGE, type FunctionName, type StateMachineName } from "../../lib/core/naming/names.ts";
import { METRIC_NAMESPACE } from "../../lib/core/telemetry/emf.ts";
import type { Metric } from "../constructs/alarm.ts";
import type { ProjectStack } from "../project-stack.ts";
import { campaignArn } from "./api.ts";

/** Repeated here because the modules that emit them load the AWS SDK; a test compares both. */
export const OWN_METRICS = {
  heldModels: "HeldModels",
  uncountedEvents: "UncountedEvents",
  unstoredRecords: "UnstoredRecords",
} as const;

/** Personalize's name of the operation that a recipe's campaign answers. */
const OPERATIONS: Readonly<Record<RecipeKind, string>> = {
  user_personalization: "GetRecommendations",
  similar_items: "GetRecommendations",
  personalized_ranking: "GetPersonalizedRanking",
};

/** Returns the recommendation service's metrics, for alarms and the dashboard. */
export function recommendationMetrics(stack: ProjectStack) {
  const { names, input } = stack;
  const Project = input.config.project.project_name;
  const metric = (namespace: string, dimensions: Metric["dimensions"]) => (name: string, stat: string) => ({
    namespace,
    name,
    dimensions,
    stat,
  });
  return {
    api: metric("AWS/ApiGateway", { ApiName: names.api("recommendation"), Stage: API_STAGE }),
    lambda: (fn: FunctionName, name: string, stat = "Sum") =>
      metric("AWS/Lambda", { FunctionName: names.function(fn) })(name, stat),
    degraded: (stage: Stage) => metric(METRIC_NAMESPACE, { Project, Stage: stage })("Degraded", "Sum"),
    own: (name: string) => metric(METRIC_NAMESPACE, { Project })(name, "Sum"),
    heldModels: (recipe: RecipeKind) =>
      metric(METRIC_NAMESPACE, { Project, Recipe: recipe })(OWN_METRICS.heldModels, "Sum"),
    /**
     * Source: "CloudWatch metrics for Amazon Personalize". `suffix` is "Latency", for example, or empty for answered
     * calls.
     */
    campaign: (recipe: RecipeKind, suffix: "" | "Latency" | "4xxErrors" | "5xxErrors", stat: string) =>
      metric("AWS/Personalize", { CampaignArn: campaignArn(stack, recipe) })(`${OPERATIONS[recipe]}${suffix}`, stat),
    queue: (name: "realtime" | "realtime-dead-letters", metricName: string) =>
      metric("AWS/SQS", { QueueName: names.queue(name) })(metricName, "Maximum"),
    table: (name: Parameters<typeof names.table>[0], metricName: string) =>
      metric("AWS/DynamoDB", { TableName: names.table(name) })(metricName, "Sum"),
    delivery: (name: string, stat: string) =>
      metric("AWS/Firehose", { DeliveryStreamName: names.stream("events") })(name, stat),
    machine: (name: StateMachineName, metricName: string) =>
      metric("AWS/States", { StateMachineArn: names.arn("states", `stateMachine:${names.stateMachine(name)}`) })(
        metricName,
        "Sum",
      ),
  };
}
