import { SchedulerSchedule } from "@cdktf/provider-aws/lib/scheduler-schedule/index.js";
import type { SfnStateMachine } from "@cdktf/provider-aws/lib/sfn-state-machine/index.js";
import type { TrainingInput } from "../../lib/recommendation/training/task.ts";
import { rolePolicy, serviceRole } from "../constructs/iam.ts";
import { recommendationInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";

/** A training that cannot start within an hour is dropped, since it is no longer the scheduled one. */
const LATEST_SECONDS = 3_600;
const ATTEMPTS = 10;

/** Adds scheduled training, if solution.yaml has it. */
export function retraining(stack: ProjectStack, training: SfnStateMachine): void {
  const { names, input } = stack;
  const settings = recommendationInput(input).solution.retraining;
  if (!settings) return;
  const role = serviceRole(stack, "retraining-role", {
    name: names.role("retraining"),
    description: `Starts trainings of ${input.config.project.project_name}`,
    service: "scheduler.amazonaws.com",
    conditions: { StringEquals: { "aws:SourceAccount": input.discovery.account } },
  });
  const policy = rolePolicy(stack, "retraining-policy", role, [
    {
      sid: "StartTrainings",
      actions: ["states:StartExecution"],
      resources: [names.arn("states", `stateMachine:${names.stateMachine("training")}`)],
    },
  ]);
  new SchedulerSchedule(stack, "retraining-schedule", {
    name: names.schedule("retraining"),
    description: "Starts a training",
    scheduleExpression: settings.schedule,
    flexibleTimeWindow: { mode: "OFF" },
    target: {
      arn: training.arn,
      roleArn: role.arn,
      input: JSON.stringify({ mode: settings.training_mode } satisfies TrainingInput),
      retryPolicy: { maximumRetryAttempts: ATTEMPTS, maximumEventAgeInSeconds: LATEST_SECONDS },
    },
    dependsOn: [policy],
  });
}
