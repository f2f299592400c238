// The state machine that reports how trainings end, with events as EventBridge sends them. Source: "Step Functions
// Execution Status Change" in "Automating Step Functions event delivery", Step Functions Developer Guide.
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
} from "@aws-sdk/client-sfn";
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as assert from "uvu/assert";
import { namesOf, TRAINING_REPORT } from "../../lib/platform/naming/names.ts";
import { STOPPED_BY_UNINSTALL } from "../../lib/recommendation/training/state.ts";
import { createDeployedRoles } from "../../packages/local/dev/deployed-roles.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { callSns } from "../../packages/local-aws/test/cloud/raw-api.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { reportMachine } from "../../stacks/recommendation/training-report.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";

const test = suite("reports about ended trainings");

const cloud = await sharedCloud();
const sfn = new SFNClient(clientOptions(cloud));
const sqs = new SQSClient(clientOptions(cloud));

let stateMachineArn = "";
let QueueUrl = "";

test.before(async () => {
  const name = unique("report");
  QueueUrl = (await sqs.send(new CreateQueueCommand({ QueueName: name }))).QueueUrl ?? "";
  const [account] = QueueUrl.split("/").slice(-2);
  const xml = await callSns(cloud, { Action: "CreateTopic", Name: name });
  const [, topicArn = ""] = /<TopicArn>(.*?)<\/TopicArn>/.exec(xml) ?? [];
  const Endpoint = `arn:aws:sqs:${cloud.region}:${account}:${name}`;
  await callSns(cloud, { Action: "Subscribe", TopicArn: topicArn, Protocol: "sqs", Endpoint });
  const definition = JSON.stringify(reportMachine(topicArn, "arn:aws:states:::sns:publish", "shop"));
  const project = unique("report").slice(0, 17);
  const config = recommendation([
    ["project.yaml", ["project_name"], project],
    ["project.yaml", ["alarms", "topics", "warning"], topicArn],
  ]);
  await createDeployedRoles(cloud, config);
  const names = namesOf({ project, account: cloud.accountId, region: cloud.region });
  const command = { name, roleArn: names.roleArn(names.role(TRAINING_REPORT)), definition };
  stateMachineArn = (await sfn.send(new CreateStateMachineCommand(command))).stateMachineArn ?? "";
});

/** Returns the topic's messages about a training's end. */
async function reported(detail: object): Promise<{ Subject: string; Message: string }[]> {
  const input = JSON.stringify({
    version: "0",
    id: "315c1398-40ff-a850-213b-158f73e60175",
    "detail-type": "Step Functions Execution Status Change",
    source: "aws.states",
    account: "123456789012",
    time: "2025-03-02T09:40:00Z",
    region: "eu-west-1",
    resources: ["arn:aws:states:eu-west-1:123456789012:execution:shop-training:spring"],
    detail: {
      executionArn: "arn:aws:states:eu-west-1:123456789012:execution:shop-training:spring",
      stateMachineArn: "arn:aws:states:eu-west-1:123456789012:stateMachine:shop-training",
      name: "spring",
      startDate: 1_740_900_000_000,
      stopDate: 1_740_903_600_000,
      input: '{"mode":"update_dataset_group"}',
      inputDetails: { included: true },
      ...detail,
    },
  });
  const { executionArn } = await sfn.send(new StartExecutionCommand({ stateMachineArn, input }));
  const ended = await waitFor(
    async () => {
      const found = await sfn.send(new DescribeExecutionCommand({ executionArn }));
      return found.status !== "RUNNING" && found;
    },
    { what: "the report to end", timeoutMs: 30_000, intervalMs: 50 },
  );
  assert.is(ended.status, "SUCCEEDED", `${ended.error}: ${ended.cause}`);
  // The topic delivers to the queue before it answers.
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  return Messages.map(({ Body }) => JSON.parse(Body ?? ""));
}

const DONE = [{ recipe: "user_personalization", stage: "done", status: "no earlier version to compare with" }];
const SUMMARY = "The recipes did not switch together. New versions: user_personalization. Unchanged: similar_items.";
const HELD = { recipe: "similar_items", stage: "held", status: "NDCG@25 is 0.2000, the active version has 0.5000" };
const CAUSE = '{"errorMessage":"There is not enough data to train","errorType":"TrainingError"}';
const outputOf = (recipes: readonly object[]) =>
  JSON.stringify({ run: "spring", recipes, summary: SUMMARY, removed: [] });

/** How a training ends, and the parts of the topic's message about it; none without a message. */
const ENDS: readonly [end: string, detail: object, ...parts: string[]][] = [
  [
    "a failed training, with the reason",
    { status: "FAILED", output: null, error: "TrainingError", cause: CAUSE },
    "shop: a training failed",
    "The training spring is FAILED. `relevance status` shows the reason. The whole event: {",
    "There is not enough data to train",
  ],
  ["a training that timed out, without error and cause", { status: "TIMED_OUT" }, "The training spring is TIMED_OUT."],
  [
    "a training that somebody stops",
    { status: "ABORTED", error: null, cause: null },
    "The training spring is ABORTED.",
  ],
  [
    "a model that is held back, with the reason and what to do",
    { status: "SUCCEEDED", output: outputOf([HELD, ...DONE]) },
    "shop: a new model is held back",
    "The training spring held a model back: the earlier one still serves. To switch anyway: relevance train --accept <recipe>.",
    HELD.status,
    SUMMARY,
  ],
  [
    "no training that uninstall stops",
    { status: "ABORTED", error: STOPPED_BY_UNINSTALL, cause: "The service is being uninstalled" },
  ],
  ["no success", { status: "SUCCEEDED", output: outputOf(DONE) }],
  ["no success whose output is null", { status: "SUCCEEDED", output: null }],
  ["no success whose output is omitted", { status: "SUCCEEDED" }],
];

for (const [end, detail, ...parts] of ENDS) {
  test(`reports ${end}`, async () => {
    const messages = await reported(detail);
    assert.is(messages.length, parts.length > 0 ? 1 : 0);
    const text = messages.map(({ Subject, Message }) => `${Subject}\n${Message}`).join();
    for (const part of parts) assert.ok(text.includes(part), text);
  });
}

test.run();
