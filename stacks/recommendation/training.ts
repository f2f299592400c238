import type { EtlEnvInput } from "../../functions/etl/env.ts";
import { etlPolicy } from "../../functions/etl/policy.ts";
import type { TrainingEnvInput } from "../../functions/training/env.ts";
import { trainingPolicy } from "../../functions/training/policy.ts";
import type { TableName } from "../../lib/core/naming/names.ts";
import { type DeployedFunction, lambdaFunction } from "../constructs/function.ts";
import { boundToAliases } from "../constructs/keys.ts";
import type { ProjectStack } from "../project-stack.ts";
import { useTables } from "./tables.ts";
import { functionValues } from "./values.ts";

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
