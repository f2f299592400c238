import type { PersonalizeManagerEnvInput } from "../../functions/personalize-manager/env.ts";
import { personalizeManagerPolicy } from "../../functions/personalize-manager/policy.ts";
import { personalizeManager } from "../../lib/infrastructure/functions.ts";
import { type DeployedFunction, lambdaFunction } from "../constructs/function.ts";
import { boundToAliases } from "../constructs/keys.ts";
import type { ProjectStack } from "../project-stack.ts";

/** Adds the function through which Terraform manages Personalize. */
export function managerFunction(stack: ProjectStack, logKeyArn: string): DeployedFunction {
  const { names, input } = stack;
  const project = input.config.project.project_name;
  const values = personalizeManager({ names, project, account: input.discovery.account });
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
    ...values,
    environment: values.environment satisfies PersonalizeManagerEnvInput,
    // The table's key belongs to the stack `recommendation`, which is deployed later.
    statements: boundToAliases(stack, statements, anyKey, [names.serviceKmsAlias("recommendation")]),
    logKeyArn,
  });
}
