import type { RecommendationApiEnv } from "../../functions/recommendation-api/env.ts";
import { recommendationApiPolicy } from "../../functions/recommendation-api/policy.ts";
import { RECIPE_KINDS, type RecipeKind } from "../../lib/config/recipes.ts";
import { recommendationApiEnvironment } from "../../lib/infrastructure/functions.ts";
import { keyEnvironment, type ServiceKey } from "../constructs/api-keys.ts";
import { type DeployedFunction, lambdaFunction } from "../constructs/function.ts";
import { recommendationInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";
import { useTables } from "./tables.ts";

export interface ApiFunctionOptions {
  queueUrl: string;
  /** Encrypts tables and logs. */
  keyArn: string;
  keys: readonly ServiceKey[];
}

/** Adds the function that answers requests. */
export function apiFunction(stack: ProjectStack, { queueUrl, keyArn, keys }: ApiFunctionOptions): DeployedFunction {
  const { names } = stack;
  const table = (name: Parameters<typeof names.table>[0]) => names.arn("dynamodb", `table/${names.table(name)}`);
  return lambdaFunction(stack, {
    name: "recommendation-api",
    description: "Recommendations, rankings, users, items and events",
    // CPU grows with memory: 1,769 MB give one vCPU.
    memoryMb: 1_769,
    timeoutSeconds: 28,
    environment: {
      ...recommendationApiEnvironment(names, queueUrl),
      ...keyEnvironment(stack, keys),
    } satisfies RecommendationApiEnv,
    statements: [
      ...recommendationApiPolicy({
        usersTable: table("users"),
        itemsTable: table("items"),
        popularItemsTable: table("popular-items"),
        ingestionTable: table("ingestion"),
        eventsStream: names.arn("firehose", `deliverystream/${names.stream("events")}`),
        realtimeQueue: names.arn("sqs", names.queue("realtime")),
        recommendationCampaigns: campaignArns(stack, ["user_personalization", "similar_items"]),
        rankingCampaigns: campaignArns(stack, ["personalized_ranking"]),
        parameters: names.arn("ssm", `parameter${names.parameterPrefix()}recommendation/*`),
        logGroup: names.arn("logs", `log-group:${names.functionLogGroup("recommendation-api")}`),
      }),
      useTables(stack, keyArn),
    ],
    logKeyArn: keyArn,
    reservedConcurrency: stack.input.config.api.reserved_concurrency.recommendation_api,
    provisionedConcurrency: stack.input.config.api.provisioned_concurrency.recommendation_api,
  });
}

/** Returns the recipes of solution.yaml. */
export function configuredRecipes(stack: ProjectStack): RecipeKind[] {
  const { recipes } = recommendationInput(stack.input).solution;
  return RECIPE_KINDS.filter((recipe) => recipes[recipe] !== undefined);
}

/** Returns the ARN of a recipe's campaign. Personalize derives it from the name, so it is known in advance. */
export function campaignArn({ names }: ProjectStack, recipe: RecipeKind): string {
  return names.arn("personalize", `campaign/${names.campaign(recipe)}`);
}

function campaignArns(stack: ProjectStack, recipes: readonly RecipeKind[]): string[] {
  return configuredRecipes(stack)
    .filter((recipe) => recipes.includes(recipe))
    .map((recipe) => campaignArn(stack, recipe));
}
