import type { LambdaAlias } from "#aws/lambda-alias";
import { LambdaFunctionEventInvokeConfig } from "#aws/lambda-function-event-invoke-config";
import { SchedulerSchedule } from "#aws/scheduler-schedule";
import type { ITerraformDependable } from "#cdktf";
import type { Statement } from "../../lib/platform/aws/iam-statement.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";
import { rolePolicy, serviceRole } from "./iam.ts";

interface ScheduleOptions {
  name: Parameters<Names["schedule"]>[0];
  description: string;
  /** Such as `rate(1 hour)`. */
  expression: string;
  role: Extract<Parameters<Names["role"]>[0], "retraining" | "scheduler" | "suggestions-schedule">;
  roleDescription: string;
  /** Target of the schedule, and the one call that its role may make. */
  target: { arn: string; input?: object; call: Statement; alias?: LambdaAlias };
  /** How often it tries again, and for how long. For a function, Lambda does the same with an event that fails. */
  retry: { attempts: number; seconds: number };
  dependsOn?: readonly ITerraformDependable[];
}

/** Adds a schedule that starts one thing, and its role. */
export function schedule(stack: ProjectStack, options: ScheduleOptions): void {
  const { names, input } = stack;
  const { name, target, retry } = options;
  const role = serviceRole(stack, `${options.role}-role`, {
    name: names.role(options.role),
    description: options.roleDescription,
    service: "scheduler.amazonaws.com",
    conditions: { StringEquals: { "aws:SourceAccount": input.discovery.account } },
  });
  const policy = rolePolicy(stack, `${options.role}-policy`, role, [target.call]);
  // The schedule's call is asynchronous: Lambda repeats an event that fails twice unless told otherwise. Source: Lambda
  // Developer Guide, "Configuring error handling settings for asynchronous invocations".
  const retries = target.alias
    ? [
        new LambdaFunctionEventInvokeConfig(stack, `${name}-retries`, {
          functionName: target.alias.functionName,
          qualifier: target.alias.name,
          maximumRetryAttempts: retry.attempts,
          maximumEventAgeInSeconds: retry.seconds,
          dependsOn: options.dependsOn ? [...options.dependsOn] : [],
        }),
      ]
    : [];
  // checkov:skip=CKV_AWS_297 aws_scheduler_schedule: the schedule passes no data
  new SchedulerSchedule(stack, `${name}-schedule`, {
    name: names.schedule(name),
    description: options.description,
    scheduleExpression: options.expression,
    flexibleTimeWindow: { mode: "OFF" },
    target: {
      arn: target.arn,
      roleArn: role.arn,
      ...(target.input && { input: JSON.stringify(target.input) }),
      retryPolicy: { maximumRetryAttempts: retry.attempts, maximumEventAgeInSeconds: retry.seconds },
    },
    dependsOn: [policy, ...(options.dependsOn ?? []), ...retries],
  });
}
