import type { RecipeKind } from "../../lib/config/recipes.ts";
import type { StateMachineName, TableName } from "../../lib/core/naming/names.ts";
import { metricsOf, serviceMetrics } from "../constructs/metrics.ts";
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
  const { names } = stack;
  const metrics = serviceMetrics(stack, "recommendation");
  return {
    ...metrics,
    heldModels: (recipe: RecipeKind) => metrics.own(OWN_METRICS.heldModels, { Recipe: recipe }),
    /**
     * Source: "CloudWatch metrics for Amazon Personalize". `suffix` is "Latency", for example, or empty for answered
     * calls.
     */
    campaign: (recipe: RecipeKind, suffix: "" | "Latency" | "4xxErrors" | "5xxErrors", stat: string) =>
      metricsOf("AWS/Personalize", { CampaignArn: campaignArn(stack, recipe) })(`${OPERATIONS[recipe]}${suffix}`, stat),
    queue: (name: "realtime" | "realtime-dead-letters", metric: string) =>
      metricsOf("AWS/SQS", { QueueName: names.queue(name) })(metric, "Maximum"),
    table: (name: TableName, metric: string) =>
      metricsOf("AWS/DynamoDB", { TableName: names.table(name) })(metric, "Sum"),
    machine: (name: StateMachineName, metric: string) =>
      metricsOf("AWS/States", { StateMachineArn: names.arn("states", `stateMachine:${names.stateMachine(name)}`) })(
        metric,
        "Sum",
      ),
  };
}
