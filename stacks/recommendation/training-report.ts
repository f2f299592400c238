import { CloudwatchEventRule } from "#aws/cloudwatch-event-rule";
import { CloudwatchEventTarget } from "#aws/cloudwatch-event-target";
import type { State } from "../../lib/infrastructure/lambda-task.ts";
import type { Statement } from "../../lib/platform/aws/iam-statement.ts";
import { TRAINING_REPORT } from "../../lib/platform/naming/names.ts";
import { STOPPED_BY_UNINSTALL } from "../../lib/recommendation/training/state.ts";
import { alarmTopic } from "../constructs/alarms.ts";
import { rolePolicy, serviceRole } from "../constructs/iam.ts";
import { useProjectKey } from "../constructs/keys.ts";
import type { ProjectStack } from "../project-stack.ts";
import { stateMachine, stateMachineRole, WATCHED } from "./state-machines.ts";

/**
 * Notifies the topic of warnings about failed trainings and rejected models, with the reason, which an alarm's message
 * cannot contain. Every end of a training starts it, including a timeout or a stop. A role publishes the message, since
 * EventBridge itself could publish to an encrypted topic only if the key's policy allowed it.
 */
export function trainingReport(stack: ProjectStack, keyArn: string): void {
  const { names, input } = stack;
  const topicArn = alarmTopic(stack, "warning");
  const role = stateMachineRole(stack, TRAINING_REPORT, "Notifies about the ends of trainings");
  const policy = rolePolicy(stack, "training-report-policy", role, [
    { sid: "Tell", actions: ["sns:Publish"], resources: [topicArn] },
    input.config.project.alarms.topics.warning === undefined
      ? useProjectKey(stack, ["kms:Decrypt", "kms:GenerateDataKey"])
      : useTopicKey(stack),
    ...WATCHED,
  ]);
  const machine = stateMachine(stack, TRAINING_REPORT, {
    definition: reportMachine(topicArn, names.taskArn("sns:publish"), input.config.project.project_name),
    role,
    keyArn,
    dependsOn: [policy],
  });
  const starter = serviceRole(stack, "training-events-role", {
    name: names.role("training-events"),
    description: `Ends of trainings of ${input.config.project.project_name}`,
    service: "events.amazonaws.com",
    conditions: { StringEquals: { "aws:SourceAccount": input.discovery.account } },
  });
  const mayStart = rolePolicy(stack, "training-events-policy", starter, [
    {
      sid: "Start",
      actions: ["states:StartExecution"],
      resources: [names.arn("states", `stateMachine:${names.stateMachine(TRAINING_REPORT)}`)],
    },
  ]);
  const rule = new CloudwatchEventRule(stack, "training-ends", {
    name: names.rule(TRAINING_REPORT),
    description: "Ends of trainings, successful or not",
    eventPattern: JSON.stringify({
      source: ["aws.states"],
      "detail-type": ["Step Functions Execution Status Change"],
      detail: {
        stateMachineArn: [names.arn("states", `stateMachine:${names.stateMachine("training")}`)],
        status: ["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"],
      },
    }),
  });
  new CloudwatchEventTarget(stack, "training-ends-to-report", {
    rule: rule.name,
    arn: machine.arn,
    roleArn: starter.arn,
    dependsOn: [mayStart],
  });
}

/** Permission to publish to an encrypted topic of the account's owner, whose key is unknown here. */
function useTopicKey({ names }: ProjectStack): Statement {
  return {
    sid: "UseTheTopicsKey",
    actions: ["kms:Decrypt", "kms:GenerateDataKey"],
    resources: [names.arn("kms", "key/*")],
    conditions: { StringEquals: { "kms:ViaService": names.viaService("sns") } },
  };
}

/**
 * Defines the state machine that handles the event of a training's end. The output of a successful training contains
 * each recipe's stage, which is `"held"` for a rejected model, and the reason. EventBridge leaves out an output that is
 * too long. Nobody is notified about a training that `uninstall` stopped.
 */
export function reportMachine(topicArn: string, taskArn: string, project: string): State {
  const publish = (Subject: string, message: string): State => ({
    Type: "Task",
    Resource: taskArn,
    Parameters: { TopicArn: topicArn, Subject, "Message.$": message },
    Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 10, MaxAttempts: 5, BackoffRate: 2 }],
    End: true,
  });
  return {
    Comment: "Notifies about trainings that failed or held a model back.",
    StartAt: "HowDidItEnd",
    States: {
      HowDidItEnd: {
        Type: "Choice",
        Choices: [
          {
            And: [
              { Variable: "$.detail.error", IsPresent: true },
              { Variable: "$.detail.error", StringEquals: STOPPED_BY_UNINSTALL },
            ],
            Next: "NothingToTell",
          },
          { Not: { Variable: "$.detail.status", StringEquals: "SUCCEEDED" }, Next: "TellOfFailure" },
          {
            And: [
              { Variable: "$.detail.output", IsPresent: true },
              { Variable: "$.detail.output", StringMatches: '*"held"*' },
            ],
            Next: "TellOfHeldModels",
          },
        ],
        Default: "NothingToTell",
      },
      TellOfFailure: publish(
        `${project}: a training failed`,
        "States.Format('The training {} is {}. `relevance status` shows the reason. The whole event: {}', " +
          "$.detail.name, $.detail.status, States.JsonToString($.detail))",
      ),
      TellOfHeldModels: publish(
        `${project}: a new model is held back`,
        "States.Format('The training {} held a model back: the earlier one still serves. To switch anyway: " +
          "relevance train --accept <recipe>. Its result, with the reasons: {}', " +
          "$.detail.name, $.detail.output)",
      ),
      NothingToTell: { Type: "Succeed" },
    },
  };
}
