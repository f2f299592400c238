import { DynamoDBClient, GetItemCommand, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { IAMClient, PutRolePolicyCommand } from "@aws-sdk/client-iam";
import { CreateFunctionCommand, InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { GetQueueUrlCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as assert from "uvu/assert";
import { assumeRole, type Faults, setFaults } from "../../packages/local-aws/cloud/permissions.ts";
import { createFunction, invoke, unique, zipOf } from "../../packages/local-aws/test/cloud/functions.ts";
import { callJson } from "../../packages/local-aws/test/cloud/raw-api.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { createServiceRole, policyOf } from "../fixtures/principals.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: simulated faults of AWS");
const cloud = await ownCloud({ quotas: { concurrency: 2 } });
test.after(() => cloud.stop());
test.after.each(() => setFaults(cloud, {}));

const root = clientOptions(cloud);
const lambda = new LambdaClient(root);
const LAMBDA = "lambda.amazonaws.com";

const nameOf = (call: Promise<unknown>) =>
  call.then(
    () => "allowed",
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );

/** Waits until a call no longer fails, and returns the errors with which it failed before. */
async function failures(call: () => Promise<unknown>): Promise<string[]> {
  const seen = new Set<string>();
  await waitFor(
    async () => {
      const name = await nameOf(call());
      if (name !== "allowed") seen.add(name);
      return name === "allowed";
    },
    { what: "the call to succeed", timeoutMs: 60_000, intervalMs: 100 },
  );
  return [...seen];
}

test("delays when other services know a role and its policies", async () => {
  await setFaults(cloud, { roleSeconds: 3, policySeconds: 3 });
  const role = await createServiceRole(cloud, LAMBDA, []);
  const create = () =>
    lambda.send(
      new CreateFunctionCommand({
        FunctionName: unique("function"),
        Role: role,
        Runtime: "nodejs22.x",
        Handler: "index.handler",
        Code: { ZipFile: zipOf("export const handler = () => 1;") },
      }),
    );
  assert.equal(await failures(create), ["InvalidParameterValueException"]);

  const credentials = await assumeRole(cloud.endpoint, { role, service: LAMBDA, sourceArn: role });
  const list = () =>
    new DynamoDBClient({ ...root, credentials })
      .send(new GetItemCommand({ TableName: "none", Key: { id: { S: "1" } } }))
      .catch((error: Error) => {
        if (error.name !== "ResourceNotFoundException") throw error;
      });
  const PolicyDocument = policyOf([{ Effect: "Allow", Action: "dynamodb:GetItem", Resource: "*" }]);
  const RoleName = role.split("/").at(-1) ?? "";
  await new IAMClient(root).send(new PutRolePolicyCommand({ RoleName, PolicyName: "read", PolicyDocument }));
  assert.equal(await failures(list), ["AccessDeniedException"]);
});

test("delays when conditions know a new alias of a key", async () => {
  interface Key {
    KeyMetadata: { KeyId: string; Arn: string };
  }
  const { KeyMetadata } = await callJson<Key>(cloud, "kms", "TrentService.CreateKey", {});
  const AliasName = `alias/${unique("key")}`;
  const Condition = { "ForAnyValue:StringEquals": { "kms:ResourceAliases": [AliasName] } };
  const role = await createServiceRole(cloud, LAMBDA, [
    { Effect: "Allow", Action: ["kms:Decrypt", "kms:DescribeKey"], Resource: "*", Condition },
  ]);
  const { accessKeyId } = await assumeRole(cloud.endpoint, { role, service: LAMBDA, sourceArn: role });
  const describe = async () => {
    const scope = `${accessKeyId}/20000101/${cloud.region}/kms/aws4_request`;
    const answer = await fetch(cloud.endpoint, {
      method: "POST",
      headers: {
        authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`,
        "content-type": "application/x-amz-json-1.1",
        "x-amz-target": "TrentService.DescribeKey",
      },
      body: JSON.stringify({ KeyId: KeyMetadata.KeyId }),
    });
    if (!answer.ok)
      throw Object.assign(new Error(await answer.text()), { name: answer.headers.get("x-amzn-errortype") });
  };
  await setFaults(cloud, { kmsAliasSeconds: 3 });
  await callJson(cloud, "kms", "TrentService.CreateAlias", { AliasName, TargetKeyId: KeyMetadata.KeyId }).catch(
    () => undefined, // an empty answer
  );
  assert.equal(await failures(describe), ["AccessDeniedException"]);
});

test("delays when a new function can be invoked", async () => {
  await setFaults(cloud, { functionSeconds: 3 });
  const Role = await createServiceRole(cloud, LAMBDA, []);
  const FunctionName = await createFunction(cloud, lambda, "export const handler = () => 1;", { Role });
  assert.equal(await failures(() => lambda.send(new InvokeCommand({ FunctionName }))), ["ResourceConflictException"]);
});

test("throttles with the error of each service", async () => {
  await setFaults(cloud, { throttled: { dynamodb: 1, s3: 1, lambda: 1, sqs: 2 } });
  const s3 = new S3Client({ ...root, forcePathStyle: true });
  const sqs = new SQSClient(root);
  assert.is(await nameOf(new DynamoDBClient(root).send(new ListTablesCommand({}))), "ThrottlingException");
  assert.is(await nameOf(s3.send(new GetObjectCommand({ Bucket: "none", Key: "none" }))), "SlowDown");
  assert.is(await nameOf(lambda.send(new InvokeCommand({ FunctionName: "none" }))), "TooManyRequestsException");
  const asked = () => nameOf(sqs.send(new GetQueueUrlCommand({ QueueName: "none" })));
  assert.equal([await asked(), await asked()], ["QueueDoesNotExist", "ThrottlingException"]);
});

test("throttles invocations above the concurrency limit of the account", async () => {
  const Role = await createServiceRole(cloud, LAMBDA, []);
  const source = "export const handler = () => new Promise((done) => setTimeout(() => done(1), 1500));";
  const name = await createFunction(cloud, lambda, source, { Role });
  const called = await Promise.all([1, 2, 3].map(() => nameOf(invoke(lambda, name, {}))));
  assert.equal(called.sort(), ["TooManyRequestsException", "allowed", "allowed"]);
});

test("rejects unknown faults", async () => {
  const wrong = { networkSeconds: 1 } as Faults;
  assert.match(String(await setFaults(cloud, wrong).catch(String)), "no such fault: networkSeconds");
});

test.run();
