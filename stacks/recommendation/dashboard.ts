import type { RecipeKind } from "../../lib/config/recipes.ts";
import { dashboard, type Widget } from "../constructs/dashboard.ts";
import type { ProjectStack } from "../project-stack.ts";
import { configuredRecipes } from "./api.ts";
import { OWN_METRICS, recommendationMetrics } from "./metrics.ts";

/** One page: is it up, is it fast, what is missing from answers, do changes and events arrive, how trainings end. */
export function recommendationDashboard(stack: ProjectStack): void {
  const recipes = configuredRecipes(stack);
  dashboard(stack, "recommendation", [
    ...requestWidgets(stack),
    ...campaignWidgets(stack, recipes),
    ...dataWidgets(stack),
    ...trainingWidgets(stack, recipes),
  ]);
}

function requestWidgets(stack: ProjectStack): Widget[] {
  const { api, lambda, degraded } = recommendationMetrics(stack);
  return [
    {
      title: "Requests",
      metrics: [
        [api("Count", "Sum"), "all"],
        [api("4XXError", "Sum"), "4xx"],
        [api("5XXError", "Sum"), "5xx"],
      ],
    },
    {
      title: "Latency, ms",
      metrics: [
        [api("Latency", "p50"), "p50"],
        [api("Latency", "p99"), "p99"],
        [api("IntegrationLatency", "p99"), "function p99"],
      ],
    },
    {
      title: "Degraded answers by stage",
      metrics: (["campaign", "item_records", "realtime"] as const).map((stage) => [degraded(stage), stage]),
    },
    {
      title: "recommendation-api",
      metrics: [
        [lambda("recommendation-api", "ConcurrentExecutions", "Maximum"), "at a time"],
        [lambda("recommendation-api", "Throttles"), "throttled"],
        [lambda("recommendation-api", "Errors"), "errors"],
      ],
    },
  ];
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
  const { queue, lambda, delivery, own, table } = recommendationMetrics(stack);
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
        [delivery("DeliveryToS3.DataFreshness", "Maximum"), "seconds behind in the bucket"],
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
