import type { PersonalizeManagerEnvInput } from "../../functions/personalize-manager/env.ts";
import { personalizeManagerPolicy } from "../../functions/personalize-manager/policy.ts";
import { type DeployedFunction, lambdaFunction } from "../constructs/function.ts";
import { boundToAliases } from "../constructs/keys.ts";
import type { ProjectStack } from "../project-stack.ts";

/** The function waits 280 s for Personalize, then reports that work is still in progress. */
const TIMEOUT_SECONDS = 300;

/** The function through which Terraform manages Personalize. */
export function managerFunction(stack: ProjectStack, logKeyArn: string): DeployedFunction {
  const { names, input } = stack;
  const project = input.config.project.project_name;
  const anyKey = names.arn("kms", "key/*");
  const statements = personalizeManagerPolicy({
    project,
    resource: (path) => names.arn("personalize", path),
    parameters: [names.eventTrackerParameter(), names.filterParameter("*"), names.campaignParameter("*")].map((name) =>
      names.arn("ssm", `parameter${name}`),
    ),
    trainingTable: names.arn("dynamodb", `table/${names.table("training")}`),
    key: anyKey,
    logGroup: names.arn("logs", `log-group:${names.functionLogGroup("personalize-manager")}`),
  });
  return lambdaFunction(stack, {
    name: "personalize-manager",
    description: "Creates, changes and removes resources of Personalize",
    memoryMb: 512,
    timeoutSeconds: TIMEOUT_SECONDS,
    environment: {
      PROJECT_NAME: project,
      ACCOUNT_ID: input.discovery.account,
      TRAINING_TABLE: names.table("training"),
    } satisfies PersonalizeManagerEnvInput,
    // The table's key belongs to the stack `recommendation`, which is deployed later.
    statements: boundToAliases(statements, anyKey, [names.serviceKmsAlias("recommendation")]),
    logKeyArn,
  });
}
