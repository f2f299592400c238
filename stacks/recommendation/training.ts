import type { EtlEnvInput } from "../../functions/etl/env.ts";
import { etlPolicy } from "../../functions/etl/policy.ts";
import type { TrainingEnvInput } from "../../functions/training/env.ts";
import { trainingPolicy } from "../../functions/training/policy.ts";
import type { TableName } from "../../lib/core/naming/names.ts";
import { type DeployedFunction, lambdaFunction } from "../constructs/function.ts";
import { boundToAliases } from "../constructs/keys.ts";
import { recommendationInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";
import { useTables } from "./tables.ts";

/** Lambda's maximum; the state machines wait a little longer, so that the function's own error is reported. */
const TIMEOUT_SECONDS = 900;

/** The ETL function: each call processes one group of objects, shard or table segment. */
export function etlFunction(stack: ProjectStack, keyArn: string): DeployedFunction {
  const { names, input } = stack;
  const { personalize } = recommendationInput(input);
  const anyKey = names.arn("kms", "key/*");
  const statements = etlPolicy({
    bucket: names.bucketArn(),
    key: anyKey,
    usersTable: tableArn(stack, "users"),
    itemsTable: tableArn(stack, "items"),
    popularItemsTable: tableArn(stack, "popular-items"),
    logGroup: names.arn("logs", `log-group:${names.functionLogGroup("etl")}`),
  });
  return lambdaFunction(stack, {
    name: "etl",
    description: "Events, users and items to what Personalize imports",
    // A shard holds 150 MB of ids. CPU grows with memory: 1,769 MB give one vCPU.
    memoryMb: 1_769,
    timeoutSeconds: TIMEOUT_SECONDS,
    environment: {
      BUCKET: names.bucket(),
      USERS_TABLE: names.table("users"),
      ITEMS_TABLE: names.table("items"),
      POPULAR_ITEMS_TABLE: names.table("popular-items"),
      LOG_LOOKBACK_DAYS: String(personalize.log_lookback_days),
      FORCE_REPROCESS_LOOKBACK_DAYS: String(personalize.force_reprocess_lookback_days),
    } satisfies EtlEnvInput,
    statements: [...boundToAliases(statements, anyKey, [names.kmsAlias()]), useTables(stack, keyArn)],
    logKeyArn: keyArn,
  });
}

/** The function that runs the steps of training and teardown. */
export function trainingFunction(stack: ProjectStack, keyArn: string, bufferSeconds: number): DeployedFunction {
  const { names, input } = stack;
  const project = input.config.project.project_name;
  const anyKey = names.arn("kms", "key/*");
  const importRole = names.roleArn(names.role("personalize"));
  const statements = trainingPolicy({
    project,
    resource: (path) => names.arn("personalize", path),
    bucket: names.bucketArn(),
    trainingTable: tableArn(stack, "training"),
    ingestionTable: tableArn(stack, "ingestion"),
    campaignParameters: names.arn("ssm", `parameter${names.parameterPrefix()}recommendation/campaigns/*`),
    executions: (["training", "teardown"] as const).map((name) =>
      names.arn("states", `execution:${names.stateMachine(name)}:*`),
    ),
    importRole,
    key: anyKey,
    logGroup: names.arn("logs", `log-group:${names.functionLogGroup("training")}`),
  });
  return lambdaFunction(stack, {
    name: "training",
    description: "Steps of training and teardown",
    memoryMb: 512,
    timeoutSeconds: TIMEOUT_SECONDS,
    environment: {
      PROJECT_NAME: project,
      ACCOUNT_ID: input.discovery.account,
      BUCKET: names.bucket(),
      TRAINING_TABLE: names.table("training"),
      INGESTION_TABLE: names.table("ingestion"),
      IMPORT_ROLE_ARN: importRole,
      LOG_LOOKBACK_DAYS: String(recommendationInput(input).personalize.log_lookback_days),
      INGESTION_BUFFER_SECONDS: String(bufferSeconds),
    } satisfies TrainingEnvInput,
    statements: [...boundToAliases(statements, anyKey, [names.kmsAlias()]), useTables(stack, keyArn)],
    logKeyArn: keyArn,
  });
}

function tableArn({ names }: ProjectStack, name: TableName): string {
  return names.arn("dynamodb", `table/${names.table(name)}`);
}
