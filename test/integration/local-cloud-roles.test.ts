import { CreateDeliveryStreamCommand, FirehoseClient, PutRecordBatchCommand } from "@aws-sdk/client-firehose";
import { DeleteRolePolicyCommand, IAMClient } from "@aws-sdk/client-iam";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketEncryptionCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
} from "@aws-sdk/client-sfn";
import * as assert from "uvu/assert";
import { assumeRole, decisionsOf, permissionReport } from "../../packages/local-aws/cloud/permissions.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { callJson } from "../../packages/local-aws/test/cloud/raw-api.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { createServiceRole, createUser, policyOf, type Statements } from "../fixtures/principals.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: services act with their roles");
const cloud = await ownCloud();
test.after(() => cloud.stop());

const root = clientOptions(cloud);
const s3 = new S3Client({ ...root, forcePathStyle: true });
const allow = (Action: string | string[], Resource: string, more = {}) => ({
  Effect: "Allow",
  Action,
  Resource,
  ...more,
});

async function createBucket(): Promise<string> {
  const Bucket = unique("bucket");
  await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint: "eu-west-1" } }));
  await s3.send(new PutObjectCommand({ Bucket, Key: "one.csv", Body: "1" }));
  return Bucket;
}

interface Key {
  KeyMetadata: { KeyId: string; Arn: string };
}

const messageOf = (call: Promise<unknown>) =>
  call.then(
    () => "allowed",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

test("an import into Personalize reads with its role, which must trust Personalize", async () => {
  const bucket = await createBucket();
  const sourceArn = `arn:aws:personalize:eu-west-1:${cloud.accountId}:dataset-import-job/one`;
  const service = "personalize.amazonaws.com";
  const other = await createServiceRole(cloud, "lambda.amazonaws.com", []);
  assert.is(
    await messageOf(assumeRole(cloud.endpoint, { role: other, service, sourceArn })),
    `${service} is not allowed to assume ${other}`,
  );
  const read = async (statements: Statements) => {
    const role = await createServiceRole(cloud, service, statements);
    const credentials = await assumeRole(cloud.endpoint, { role, service, sourceArn });
    const client = new S3Client({ ...root, credentials, forcePathStyle: true });
    return messageOf(client.send(new GetObjectCommand({ Bucket: bucket, Key: "one.csv" })));
  };
  assert.match(await read([]), 'is not authorized to perform: s3:GetObject on resource: "arn:aws:s3:::');
  assert.is(await read([allow("s3:GetObject", `arn:aws:s3:::${bucket}/*`)]), "allowed");
});

test("a state machine whose role does not trust Step Functions fails at its first task, and says so", async () => {
  const sfn = new SFNClient(root);
  const publish = "arn:aws:states:::sns:publish";
  const Parameters = { TopicArn: `arn:aws:sns:eu-west-1:${cloud.accountId}:one`, Message: "one" };
  const { stateMachineArn } = await sfn.send(
    new CreateStateMachineCommand({
      name: unique("machine"),
      roleArn: await createServiceRole(cloud, "lambda.amazonaws.com", [allow("sns:Publish", "*")]),
      definition: JSON.stringify({
        StartAt: "Tell",
        States: { Tell: { Type: "Task", Resource: publish, Parameters, End: true } },
      }),
    }),
  );
  const { executionArn } = await sfn.send(new StartExecutionCommand({ stateMachineArn }));
  const { status, cause } = await waitFor(
    async () => {
      const found = await sfn.send(new DescribeExecutionCommand({ executionArn }));
      return found.status !== "RUNNING" && found;
    },
    { what: "the execution to end", timeoutMs: 30_000 },
  );
  assert.is(status, "FAILED");
  assert.match(cause ?? "", "states.amazonaws.com is not allowed to assume");
});

test("Firehose writes objects with the role of its destination", async () => {
  const bucket = await createBucket();
  const firehose = new FirehoseClient(root);
  const deliver = async (RoleARN: string) => {
    const DeliveryStreamName = unique("stream");
    const ExtendedS3DestinationConfiguration = { RoleARN, BucketARN: `arn:aws:s3:::${bucket}`, Prefix: "events/" };
    await firehose.send(new CreateDeliveryStreamCommand({ DeliveryStreamName, ExtendedS3DestinationConfiguration }));
    await firehose.send(new PutRecordBatchCommand({ DeliveryStreamName, Records: [{ Data: Buffer.from("1") }] }));
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: "events/" }));
    return Contents.length;
  };
  const service = "firehose.amazonaws.com";
  const narrow = await createServiceRole(cloud, service, [allow("s3:PutObject", `arn:aws:s3:::${bucket}/logs/*`)]);
  assert.is(await deliver(narrow), 0);
  const denied = (await decisionsOf(cloud)).filter(({ principal, allowed }) => principal === narrow && !allowed);
  assert.equal(
    denied.map(({ action }) => action),
    ["s3:PutObject"],
  );
  assert.is(
    await deliver(await createServiceRole(cloud, service, [allow("s3:PutObject", `arn:aws:s3:::${bucket}/events/*`)])),
    1,
  );
});

test("an encrypted bucket also requires permission for its key, which may depend on an alias or on access through S3", async () => {
  const bucket = await createBucket();
  const { KeyMetadata } = await callJson<Key>(cloud, "kms", "TrentService.CreateKey", {});
  const AliasName = `alias/${unique("key")}`;
  await callJson<Key>(cloud, "kms", "TrentService.CreateAlias", { AliasName, TargetKeyId: KeyMetadata.KeyId });
  await s3.send(
    new PutBucketEncryptionCommand({
      Bucket: bucket,
      ServerSideEncryptionConfiguration: {
        Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: "aws:kms", KMSMasterKeyID: KeyMetadata.Arn } }],
      },
    }),
  );
  const read = async (...statements: Statements) => {
    const policy = policyOf([allow("s3:GetObject", "*"), ...statements]);
    const credentials = await createUser(cloud, unique("user"), [policy]);
    const client = new S3Client({ ...root, credentials, forcePathStyle: true });
    return messageOf(client.send(new GetObjectCommand({ Bucket: bucket, Key: "one.csv" })));
  };
  const refused = `is not authorized to perform: kms:Decrypt on resource: ${KeyMetadata.Arn} `;
  assert.match(await read(), refused);
  const by = (alias: string) =>
    allow("kms:Decrypt", "*", { Condition: { "ForAnyValue:StringEquals": { "kms:ResourceAliases": [alias] } } });
  assert.match(await read(by("alias/other")), refused);
  assert.is(await read(by(AliasName)), "allowed");
  const via = (service: string) =>
    allow("kms:Decrypt", "*", {
      Condition: { StringEquals: { "kms:ViaService": `${service}.eu-west-1.amazonaws.com` } },
    });
  assert.match(await read(via("dynamodb")), refused);
  assert.is(await read(via("s3")), "allowed");
});

test("a report lists permissions that no call needed, even if removed since, and denied calls", async () => {
  const bucket = await createBucket();
  const service = "personalize.amazonaws.com";
  const objects = `arn:aws:s3:::${bucket}/*`;
  const role = await createServiceRole(cloud, service, [
    { Sid: "Read", ...allow(["s3:GetObject", "s3:ListBucket", "sqs:*"], objects) },
    { Sid: "Write", ...allow("s3:PutObject", objects) },
    { Sid: "WriteTwice", ...allow("s3:Put*", objects) },
  ]);
  const credentials = await assumeRole(cloud.endpoint, { role, service, sourceArn: role });
  const client = new S3Client({ ...root, credentials, forcePathStyle: true });
  await client.send(new GetObjectCommand({ Bucket: bucket, Key: "one.csv" }));
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: "two.csv", Body: "2" }));
  await messageOf(client.send(new DeleteObjectCommand({ Bucket: bucket, Key: "two.csv" })));
  const gone = { RoleName: role.split("/").at(-1) ?? "", PolicyName: "permissions" };
  await new IAMClient(root).send(new DeleteRolePolicyCommand(gone));
  const found = (await permissionReport(cloud)).find(({ principal }) => principal === role);
  assert.equal(found, {
    principal: role,
    granted: ["Read s3:GetObject", "Read s3:ListBucket", "Read sqs:*", "Write s3:PutObject", "WriteTwice s3:Put*"],
    unneeded: ["Read s3:ListBucket", "Read sqs:*", "Write s3:PutObject", "WriteTwice s3:Put*"],
    refused: [`s3:DeleteObject arn:aws:s3:::${bucket}/two.csv`],
  });
});

test.run();
