import type { RecipeKind } from "../../lib/platform/contract/recommendation.ts";
import { RECOMMENDATION_STAGES } from "../../lib/platform/contract/recommendation.ts";
import type { StateMachineName, TableName } from "../../lib/platform/naming/names.ts";
import { dashboard, metricsOf, requestWidgets, serviceMetrics, type Widget } from "../constructs/metrics.ts";
import type { ProjectStack } from "../project-stack.ts";
import { campaignArn, configuredRecipes } from "./functions.ts";

/** Repeated here because the modules that emit them load the AWS SDK; a test compares both. */
export const OWN_METRICS = {
  heldModels: "HeldModels",
  uncountedEvents: "UncountedEvents",
  untrainedEngines: "UntrainedEngines",
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

/**
 * Adds a dashboard of one page: availability, latency, degraded answers, delivery of changes and events, outcomes of
 * trainings.
 */
export function recommendationDashboard(stack: ProjectStack): void {
  const recipes = configuredRecipes(stack);
  dashboard(stack, "recommendation", [
    ...requestWidgets(recommendationMetrics(stack), "recommendation-api", RECOMMENDATION_STAGES),
    ...campaignWidgets(stack, recipes),
    ...dataWidgets(stack),
    ...trainingWidgets(stack, recipes),
  ]);
}

function campaignWidgets(stack: ProjectStack, recipes: readonly RecipeKind[]): Widget[] {
  const { campaign } = recommendationMetrics(stack);
  return [
    {
      title: "Campaigns, average ms",
      metrics: recipes.map((recipe) => [campaign(recipe, "Latency", "Average"), recipe]),
    },
    {
      title: "Campaigns, answered calls and errors",
      metrics: recipes.flatMap((recipe): Widget["metrics"] => [
        [campaign(recipe, "", "Sum"), `${recipe} answered`],
        [campaign(recipe, "4xxErrors", "Sum"), `${recipe} 4xx`],
        [campaign(recipe, "5xxErrors", "Sum"), `${recipe} 5xx`],
      ]),
    },
  ];
}

function dataWidgets(stack: ProjectStack): Widget[] {
  const { queue, lambda, delay, own, table } = recommendationMetrics(stack);
  return [
    {
      title: "Changes of users and items on their way",
      metrics: [
        [queue("realtime", "ApproximateNumberOfMessagesVisible"), "waiting"],
        [queue("realtime", "ApproximateAgeOfOldestMessage"), "seconds of the oldest"],
        [queue("realtime-dead-letters", "ApproximateNumberOfMessagesVisible"), "dead letters"],
        [lambda("realtime-sync", "Throttles"), "throttled"],
      ],
    },
    {
      title: "Records and events",
      metrics: [
        [own("AcceptedRecords"), "accepted"],
        [own("RejectedRecords"), "rejected"],
        [own(OWN_METRICS.uncountedEvents), "not counted"],
        [delay("events"), "seconds behind in the bucket"],
      ],
    },
    {
      title: "Tables, throttled",
      metrics: (["users", "items"] as const).flatMap((name): Widget["metrics"] => [
        [table(name, "ReadThrottleEvents"), `${name} reads`],
        [table(name, "WriteThrottleEvents"), `${name} writes`],
      ]),
    },
  ];
}

function trainingWidgets(stack: ProjectStack, recipes: readonly RecipeKind[]): Widget[] {
  const { machine, heldModels } = recommendationMetrics(stack);
  return [
    {
      title: "Trainings",
      metrics: [
        [machine("training", "ExecutionsStarted"), "started"],
        [machine("training", "ExecutionsSucceeded"), "succeeded"],
        [machine("training", "ExecutionsFailed"), "failed"],
        [machine("training", "ExecutionsTimedOut"), "out of time"],
      ],
    },
    { title: "Models held back", metrics: recipes.map((recipe) => [heldModels(recipe), recipe]) },
  ];
}
