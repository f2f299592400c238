// What Terraform's AWS provider reads back of functions; each test covers one repair of moto.
import {
  CreateAliasCommand,
  CreateEventSourceMappingCommand,
  GetEventSourceMappingCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
  PublishVersionCommand,
  UpdateEventSourceMappingCommand,
  UpdateFunctionConfigurationCommand,
} from "@aws-sdk/client-lambda";
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as assert from "uvu/assert";
import { createFunction, unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: what Terraform reads back of functions");
const cloud = await sharedCloud();
const lambda = new LambdaClient(clientOptions(cloud));
const sqs = new SQSClient(clientOptions(cloud));

test("Lambda: changed logging, tracing and temporary storage are read back", async () => {
  const name = await createFunction(cloud, lambda, "export const handler = async () => 1;");
  const changed = {
    LoggingConfig: { LogFormat: "Text" as const, LogGroup: "/changed" },
    TracingConfig: { Mode: "Active" as const },
    EphemeralStorage: { Size: 1024 },
  };
  await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: name, ...changed }));
  const found = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: name }));
  const { LoggingConfig, TracingConfig, EphemeralStorage } = found;
  assert.equal({ LoggingConfig, TracingConfig, EphemeralStorage }, changed);
});

test("Lambda: a queue's mapping keeps the alias that it names, also when it is changed", async () => {
  const FunctionName = await createFunction(cloud, lambda, "export const handler = async () => 1;");
  await lambda.send(new PublishVersionCommand({ FunctionName }));
  const aliases = ["live", "next"].map((Name) => ({ FunctionName, Name, FunctionVersion: "1" }));
  for (const alias of aliases) await lambda.send(new CreateAliasCommand(alias));
  const arn = `arn:aws:lambda:${cloud.region}:${cloud.accountId}:function:${FunctionName}`;

  const QueueName = unique("queue");
  await sqs.send(new CreateQueueCommand({ QueueName }));
  const EventSourceArn = `arn:aws:sqs:${cloud.region}:${cloud.accountId}:${QueueName}`;
  const mapping = { EventSourceArn, FunctionName: `${FunctionName}:live` };
  const { UUID, FunctionArn } = await lambda.send(new CreateEventSourceMappingCommand(mapping));
  assert.is(FunctionArn, `${arn}:live`);

  await lambda.send(new UpdateEventSourceMappingCommand({ UUID, FunctionName: `${arn}:next` }));
  const changed = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
  assert.is(changed.FunctionArn, `${arn}:next`);
});

test.run();
