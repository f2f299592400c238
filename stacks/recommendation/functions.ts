import type { EtlEnvInput } from "../../functions/etl/env.ts";
import { etlPolicy } from "../../functions/etl/policy.ts";
import type { RecommendationApiEnv } from "../../functions/recommendation-api/env.ts";
import { recommendationApiPolicy } from "../../functions/recommendation-api/policy.ts";
import type { TrainingEnvInput } from "../../functions/training/env.ts";
import { trainingPolicy } from "../../functions/training/policy.ts";
import { recommendationApiEnvironment, recommendationFunctions } from "../../lib/infrastructure/functions.ts";
import { RECIPE_KINDS, RECOMMENDING_RECIPES, type RecipeKind } from "../../lib/platform/contract/recommendation.ts";
import type { TableName } from "../../lib/platform/naming/names.ts";
import { keyEnvironment, type ServiceKey } from "../constructs/api-keys.ts";
import { type DeployedFunction, lambdaFunction } from "../constructs/function.ts";
import { boundToAliases } from "../constructs/keys.ts";
import { ownSecrets } from "../constructs/own-secrets.ts";
import { MOST_LOG_DAYS } from "../constructs/request-log.ts";
import { recommendationInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";
import { useTables } from "./tables.ts";

interface ApiFunctionOptions {
  queueUrl: string;
  /** Encrypts tables and logs. */
  keyArn: string;
  keys: readonly ServiceKey[];
}

/** Adds the function that answers requests. */
export function apiFunction(stack: ProjectStack, { queueUrl, keyArn, keys }: ApiFunctionOptions): DeployedFunction {
  const { names } = stack;
  const anyKey = names.arn("kms", "key/*");
  const policy = recommendationApiPolicy({
    usersTable: tableArn(stack, "users"),
    itemsTable: tableArn(stack, "items"),
    popularItemsTable: tableArn(stack, "popular-items"),
    builtInTable: tableArn(stack, "built-in"),
    ingestionTable: tableArn(stack, "ingestion"),
    eventsStream: names.arn("firehose", `deliverystream/${names.stream("events")}`),
    realtimeQueue: names.arn("sqs", names.queue("realtime")),
    recommendationCampaigns: campaignArns(stack, RECOMMENDING_RECIPES),
    rankingCampaigns: campaignArns(stack, ["personalized_ranking"]),
    parameters: names.arn("ssm", `parameter${names.parameterPrefix()}recommendation/*`),
    bucket: names.bucketArn(),
    key: anyKey,
    ownSecrets: ownSecrets(stack, "recommendation"),
    logGroup: names.arn("logs", `log-group:${names.functionLogGroup("recommendation-api")}`),
  });
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
    statements: [...boundToAliases(stack, policy, anyKey, [names.kmsAlias()]), useTables(stack, keyArn)],
    logKeyArn: keyArn,
    logRetentionDays: Math.min(MOST_LOG_DAYS, stack.logDays),
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

/** Adds the ETL function: each call processes one group of objects, shard or table segment. */
export function etlFunction(stack: ProjectStack, keyArn: string): DeployedFunction {
  const { names } = stack;
  const { etl } = functionValues(stack);
  const anyKey = names.arn("kms", "key/*");
  const statements = etlPolicy({
    bucket: names.bucketArn(),
    key: anyKey,
    usersTable: tableArn(stack, "users"),
    itemsTable: tableArn(stack, "items"),
    popularItemsTable: tableArn(stack, "popular-items"),
    builtInTable: tableArn(stack, "built-in"),
    logGroup: names.arn("logs", `log-group:${names.functionLogGroup("etl")}`),
  });
  return lambdaFunction(stack, {
    name: "etl",
    description: "Events, users and items to what Personalize imports",
    ...etl,
    environment: etl.environment satisfies EtlEnvInput,
    statements: [...boundToAliases(stack, statements, anyKey, [names.kmsAlias()]), useTables(stack, keyArn)],
    logKeyArn: keyArn,
  });
}

/** Adds the function that runs the steps of training and teardown. */
export function trainingFunction(stack: ProjectStack, keyArn: string): DeployedFunction {
  const { names, input } = stack;
  const { training } = functionValues(stack);
  const anyKey = names.arn("kms", "key/*");
  const statements = trainingPolicy({
    project: input.config.project.project_name,
    region: input.discovery.region,
    resource: (path) => names.arn("personalize", path),
    bucket: names.bucketArn(),
    trainingTable: tableArn(stack, "training"),
    ingestionTable: tableArn(stack, "ingestion"),
    campaignParameters: names.arn("ssm", `parameter${names.parameterPrefix()}recommendation/campaigns/*`),
    executions: (["training", "teardown"] as const).map((name) =>
      names.arn("states", `execution:${names.stateMachine(name)}:*`),
    ),
    importRole: training.environment.IMPORT_ROLE_ARN,
    key: anyKey,
    logGroup: names.arn("logs", `log-group:${names.functionLogGroup("training")}`),
  });
  return lambdaFunction(stack, {
    name: "training",
    description: "Steps of training and teardown",
    ...training,
    environment: training.environment satisfies TrainingEnvInput,
    statements: [...boundToAliases(stack, statements, anyKey, [names.kmsAlias()]), useTables(stack, keyArn)],
    logKeyArn: keyArn,
  });
}

function tableArn({ names }: ProjectStack, name: TableName): string {
  return names.arn("dynamodb", `table/${names.table(name)}`);
}

/** Returns memory, time limits and environments of the recommendation service's functions. */
export function functionValues({ names, input }: ProjectStack) {
  const { personalize } = recommendationInput(input);
  return recommendationFunctions({
    names,
    project: input.config.project.project_name,
    account: input.discovery.account,
    personalize,
    bufferSeconds: personalize.event_buffer_seconds,
  });
}
