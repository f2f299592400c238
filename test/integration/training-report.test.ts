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
async function told(detail: object): Promise<{ Subject: string; Message: string }[]> {
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

const failed = (status: string, error: string | null, cause: string | null) => ({
  status,
  output: null,
  outputDetails: null,
  error,
  cause,
});

test("reports the name of a failed training, how it ended and why", async () => {
  const cause = '{"errorMessage":"There is not enough data to train","errorType":"TrainingError"}';
  const [{ Subject, Message } = { Subject: "", Message: "" }, ...more] = await told(
    failed("FAILED", "TrainingError", cause),
  );
  assert.equal(more, []);
  assert.is(Subject, "shop: a training failed");
  assert.match(Message, /^The training spring is FAILED\. `relevance status` shows the reason\. The whole event: \{/);
  assert.match(Message, "There is not enough data to train");
});

test("reports a training that timed out, without error and cause", async () => {
  const [{ Message } = { Message: "" }] = await told({ status: "TIMED_OUT", output: null, outputDetails: null });
  assert.match(Message, "The training spring is TIMED_OUT.");
});

test("reports why a training held a model back", async () => {
  const recipes = [
    { recipe: "similar_items", stage: "held", status: "NDCG@25 is 0.2000, the active version has 0.5000" },
    { recipe: "user_personalization", stage: "done", status: "no earlier version to compare with" },
  ];
  const summary = "The recipes did not switch together. New versions: user_personalization. Unchanged: similar_items.";
  const output = JSON.stringify({ run: "spring", recipes, summary, removed: [] });
  const [{ Subject, Message } = { Subject: "", Message: "" }, ...more] = await told({
    status: "SUCCEEDED",
    output,
    outputDetails: { included: true },
    error: null,
    cause: null,
  });
  assert.equal(more, []);
  assert.is(Subject, "shop: a new model is held back");
  assert.match(
    Message,
    "The training spring held a model back: the earlier one still serves. To switch anyway: relevance train --accept <recipe>.",
  );
  assert.match(Message, "NDCG@25 is 0.2000, the active version has 0.5000");
  assert.match(Message, summary);
});

test("reports nothing about a success, whether its output is present, null or omitted", async () => {
  const output = JSON.stringify({ run: "spring", recipes: [{ recipe: "similar_items", stage: "done" }], removed: [] });
  for (const more of [{ output }, { output: null }, {}]) {
    assert.equal(await told({ status: "SUCCEEDED", outputDetails: { included: "output" in more }, ...more }), []);
  }
});

test("reports nothing about a training that uninstall stops, but reports one that somebody stops", async () => {
  const cause = "The recommendation service is being uninstalled";
  assert.equal(await told(failed("ABORTED", STOPPED_BY_UNINSTALL, cause)), []);
  const [{ Message } = { Message: "" }] = await told(failed("ABORTED", null, null));
  assert.match(Message, "The training spring is ABORTED.");
});

test.run();
