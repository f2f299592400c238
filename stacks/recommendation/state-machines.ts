import type { IamRole } from "#aws/iam-role";
import { SfnStateMachine } from "#aws/sfn-state-machine";
import type { ITerraformDependable } from "#cdktf";
import { aliasArn } from "../../lib/infrastructure/functions.ts";
import type { State } from "../../lib/infrastructure/lambda-task.ts";
import { stateMachineDefinitions } from "../../lib/infrastructure/state-machines.ts";
import type { Statement } from "../../lib/platform/aws/iam-statement.ts";
import type { StateMachineName, TRAINING_REPORT } from "../../lib/platform/naming/names.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import type { TrainingInput } from "../../lib/recommendation/training/task.ts";
import type { DeployedFunction } from "../constructs/function.ts";
import { rolePolicy, serviceRole } from "../constructs/iam.ts";
import { useProjectKey } from "../constructs/keys.ts";
import { schedule } from "../constructs/schedule.ts";
import { recommendationInput } from "../input.ts";
import { literal, type ProjectStack } from "../project-stack.ts";

/**
 * Concurrent calls of a map step: enough for a day with millions of events, but a small part of the account's 1,000.
 */
const MAX_CONCURRENCY = 20;

/**
 * Permissions for logs and traces, which every state machine's role needs. These actions do not support resources.
 * Source: "Logging using CloudWatch Logs" and "X-Ray and Step Functions", Step Functions Developer Guide.
 */
export const WATCHED: readonly Statement[] = [
  {
    sid: "DeliverLogs",
    actions: [
      "logs:CreateLogDelivery",
      "logs:GetLogDelivery",
      "logs:UpdateLogDelivery",
      "logs:DeleteLogDelivery",
      "logs:ListLogDeliveries",
      "logs:PutResourcePolicy",
      "logs:DescribeResourcePolicies",
      "logs:DescribeLogGroups",
    ],
    resources: ["*"],
  },
  {
    sid: "WriteTraces",
    actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords", "xray:GetSamplingRules", "xray:GetSamplingTargets"],
    resources: ["*"],
  },
];

/**
 * Adds ETL, training and teardown, which share one role. `dependsOn` lists what their functions read and write, so that
 * an interrupted removal leaves teardown the table it needs to resume.
 */
export function stateMachines(
  stack: ProjectStack,
  keyArn: string,
  { etl, training }: Readonly<Record<"etl" | "training", DeployedFunction>>,
  dependsOn: readonly ITerraformDependable[],
): Readonly<Record<StateMachineName, SfnStateMachine>> {
  const { names } = stack;
  const role = stateMachineRole(stack, "state-machines", "Training, ETL and teardown");
  const maps = (["etl", "training"] as const).map((name) => names.stateMachine(name));
  const policy = rolePolicy(stack, "state-machines-policy", role, [
    {
      sid: "CallFunctions",
      actions: ["lambda:InvokeFunction"],
      resources: [aliasArn(names, "etl"), aliasArn(names, "training")],
    },
    { sid: "ReadLists", actions: ["s3:GetObject"], resources: [`${names.bucketArn()}/${PREFIXES.etl}*`] },
    useProjectKey(stack, ["kms:Decrypt"]),
    // A Distributed Map starts executions of its own state machine. Source: "Running Map state in Distributed mode",
    // IAM policies.
    {
      sid: "RunMaps",
      actions: ["states:StartExecution"],
      resources: maps.map((name) => names.arn("states", `stateMachine:${name}`)),
    },
    {
      sid: "FollowMaps",
      actions: ["states:DescribeExecution", "states:StopExecution"],
      resources: maps.map((name) => names.arn("states", `execution:${name}/*`)),
    },
    ...WATCHED,
  ]);
  const definitions = stateMachineDefinitions(names, MAX_CONCURRENCY);
  const make = (name: StateMachineName) =>
    stateMachine(stack, name, {
      definition: definitions[name],
      role,
      keyArn,
      dependsOn: [policy, ...etl.ready, ...training.ready, ...dependsOn],
    });
  return { etl: make("etl"), training: make("training"), teardown: make("teardown") };
}

/** Adds a role for state machines of this account. */
export function stateMachineRole(
  stack: ProjectStack,
  name: "state-machines" | typeof TRAINING_REPORT,
  what: string,
): IamRole {
  return serviceRole(stack, `${name}-role`, {
    name: stack.names.role(name),
    description: `${what} of ${stack.input.config.project.project_name}`,
    service: "states.amazonaws.com",
    conditions: { StringEquals: { "aws:SourceAccount": stack.input.discovery.account } },
  });
}

interface StateMachineOptions {
  definition: State;
  role: IamRole;
  keyArn: string;
  dependsOn: readonly ITerraformDependable[];
}

/** Adds a state machine with tracing and a log of failures without execution data. */
export function stateMachine(
  stack: ProjectStack,
  name: StateMachineName | typeof TRAINING_REPORT,
  { definition, role, keyArn, dependsOn }: StateMachineOptions,
): SfnStateMachine {
  const group = stack.logGroup(`${name}-machine-log`, stack.names.stateMachineLogGroup(name), keyArn);
  // checkov:skip=CKV_AWS_285 aws_sfn_state_machine: the rule also requires execution data in the log, and Step
  // Functions itself keeps that for 90 days
  return new SfnStateMachine(stack, `${name}-machine`, {
    name: stack.names.stateMachine(name),
    roleArn: role.arn,
    definition: literal(JSON.stringify(definition)),
    loggingConfiguration: { level: "ERROR", includeExecutionData: false, logDestination: `${group.arn}:*` },
    tracingConfiguration: { enabled: true },
    dependsOn: [...dependsOn],
  });
}

/** A training that cannot start within an hour is dropped, since it is no longer the scheduled one. */
const LATEST_SECONDS = 3_600;
const ATTEMPTS = 10;

/** Adds scheduled training, if solution.yaml has it. */
export function retraining(stack: ProjectStack, training: SfnStateMachine): void {
  const { names, input } = stack;
  const settings = recommendationInput(input).solution.retraining;
  if (!settings) return;
  schedule(stack, {
    name: "retraining",
    description: "Starts a training",
    expression: settings.schedule,
    role: "retraining",
    roleDescription: `Starts trainings of ${input.config.project.project_name}`,
    target: {
      arn: training.arn,
      input: { mode: settings.training_mode } satisfies TrainingInput,
      call: {
        sid: "StartTrainings",
        actions: ["states:StartExecution"],
        resources: [names.arn("states", `stateMachine:${names.stateMachine("training")}`)],
      },
    },
    retry: { attempts: ATTEMPTS, seconds: LATEST_SECONDS },
  });
}
