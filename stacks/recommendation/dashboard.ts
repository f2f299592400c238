import type { RecipeKind } from "../../lib/config/recipes.ts";
import type { Stage } from "../../lib/core/http/degradation.ts";
import { dashboard, requestWidgets, type Widget } from "../constructs/dashboard.ts";
import type { ProjectStack } from "../project-stack.ts";
import { configuredRecipes } from "./api.ts";
import { OWN_METRICS, recommendationMetrics } from "./metrics.ts";

/** Stages that degraded answers of the recommendation service can lack. */
const STAGES: readonly Stage[] = ["campaign", "item_records", "realtime"];

/**
 * Adds a dashboard of one page: availability, latency, degraded answers, delivery of changes and events, outcomes of
 * trainings.
 */
export function recommendationDashboard(stack: ProjectStack): void {
  const recipes = configuredRecipes(stack);
  dashboard(stack, "recommendation", [
    ...requestWidgets(recommendationMetrics(stack), "recommendation-api", STAGES),
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
