import { CloudWatchClient, GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { DescribeVpcsCommand, EC2Client } from "@aws-sdk/client-ec2";
import { GetRoleCommand, IAMClient, ListUsersCommand } from "@aws-sdk/client-iam";
import { CreateFunctionCommand, GetFunctionCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { ListCampaignsCommand, PersonalizeClient } from "@aws-sdk/client-personalize";
import { GetRecommendationsCommand, PersonalizeRuntimeClient } from "@aws-sdk/client-personalize-runtime";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
} from "@aws-sdk/client-sfn";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import * as assert from "uvu/assert";
import { decisionsOf } from "../../packages/local-aws/cloud/permissions.ts";
import { createFunction, invoke, unique, zipOf } from "../../packages/local-aws/test/cloud/functions.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { createServiceRole, createUser, policyOf, type Statements } from "../fixtures/principals.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: permissions");
const answering = { services: ["personalize"], handle: async () => ({ status: 200, body: "{}" }) };
const cloud = await ownCloud({ standIns: [answering] });
test.after(() => cloud.stop());

const root = clientOptions(cloud);
const allow = (Action: string | string[], Resource: string, more = {}) => ({
  Effect: "Allow",
  Action,
  Resource,
  ...more,
});

/** Creates a user with these permissions. Returns its ARN and the options for its clients. */
async function user(...statements: Statements) {
  const name = unique("user");
  const credentials = await createUser(cloud, name, statements.length > 0 ? [policyOf(statements)] : []);
  return { arn: `arn:aws:iam::${cloud.accountId}:user/${name}`, options: { ...root, credentials } };
}

async function refusal(call: Promise<unknown>): Promise<{ name: string; message: string; status: number | undefined }> {
  try {
    await call;
  } catch (error) {
    const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    return { name, message, status: $metadata?.httpStatusCode };
  }
  throw new Error("the call was expected to fail");
}

const CAMPAIGN = `arn:aws:personalize:eu-west-1:${cloud.accountId}:campaign/one`;
const why = (action: string) => `because no identity-based policy allows the ${action} action`;

test("denies with AWS's message, in the protocol of each service", async () => {
  const { arn, options } = await user();
  const start = `User: ${arn} is not authorized to perform:`;
  const here = `eu-west-1:${cloud.accountId}`;
  const calls: Record<string, [() => Promise<unknown>, { name: string; message: string; status: number }]> = {
    json: [
      () => new DynamoDBClient(options).send(new GetItemCommand({ TableName: "users", Key: { id: { S: "1" } } })),
      {
        name: "AccessDeniedException",
        message: `${start} dynamodb:GetItem on resource: arn:aws:dynamodb:${here}:table/users ${why("dynamodb:GetItem")}`,
        status: 400,
      },
    ],
    query: [
      () => new IAMClient(options).send(new GetRoleCommand({ RoleName: "etl" })),
      {
        name: "AccessDenied",
        message: `${start} iam:GetRole on resource: arn:aws:iam::${cloud.accountId}:role/etl ${why("iam:GetRole")}`,
        status: 403,
      },
    ],
    ec2: [
      () => new EC2Client(options).send(new DescribeVpcsCommand({})),
      {
        name: "UnauthorizedOperation",
        message: `You are not authorized to perform this operation. ${start} ec2:DescribeVpcs ${why("ec2:DescribeVpcs")}`,
        status: 403,
      },
    ],
    "rest-json": [
      () => new LambdaClient(options).send(new GetFunctionCommand({ FunctionName: "etl" })),
      {
        name: "AccessDeniedException",
        message: `${start} lambda:GetFunction on resource: arn:aws:lambda:${here}:function:etl ${why("lambda:GetFunction")}`,
        status: 403,
      },
    ],
    "rest-xml": [
      () =>
        new S3Client({ ...options, forcePathStyle: true }).send(new GetObjectCommand({ Bucket: "data", Key: "a b" })),
      {
        name: "AccessDenied",
        message: `${start} s3:GetObject on resource: "arn:aws:s3:::data/a b" ${why("s3:GetObject")}`,
        status: 403,
      },
    ],
    "CloudWatch's protocol": [
      () =>
        new CloudWatchClient(options).send(
          new GetMetricDataCommand({ MetricDataQueries: [], StartTime: new Date(0), EndTime: new Date(1) }),
        ),
      {
        name: "AccessDeniedException",
        message: `${start} cloudwatch:GetMetricData on resource: * ${why("cloudwatch:GetMetricData")}`,
        status: 400,
      },
    ],
    "a stand-in": [
      () =>
        new PersonalizeRuntimeClient(options).send(
          new GetRecommendationsCommand({ campaignArn: CAMPAIGN, userId: "1" }),
        ),
      {
        name: "AccessDeniedException",
        message: `${start} personalize:GetRecommendations on resource: ${CAMPAIGN} ${why("personalize:GetRecommendations")}`,
        status: 403,
      },
    ],
  };
  for (const [protocol, [call, expected]] of Object.entries(calls))
    assert.equal(await refusal(call()), expected, protocol);
});

test("lets through what the policies allow, and GetCallerIdentity without any permission", async () => {
  const { arn, options } = await user(allow("personalize:GetRecommendations", CAMPAIGN));
  await new PersonalizeRuntimeClient(options).send(
    new GetRecommendationsCommand({ campaignArn: CAMPAIGN, userId: "1" }),
  );
  assert.is((await new STSClient(options).send(new GetCallerIdentityCommand({}))).Arn, arn);
  const other = new PersonalizeClient(options).send(new ListCampaignsCommand({}));
  assert.match((await refusal(other)).message, "personalize:ListCampaigns on resource: *");
});

test("denies operations that its table lacks, whatever the policies say", async () => {
  const { options } = await user(allow("*", "*"));
  const { message } = await refusal(new IAMClient(options).send(new ListUsersCommand({})));
  assert.is(message, "the local cloud does not know which permission iam:ListUsers needs: add it to guard_table.json");
});

test("rejects unknown access keys", async () => {
  const credentials = { accessKeyId: "AKIAUNKNOWN", secretAccessKey: "secret" };
  const { name, message } = await refusal(
    new IAMClient({ ...root, credentials }).send(new GetRoleCommand({ RoleName: "etl" })),
  );
  assert.equal([name, message], ["InvalidClientTokenId", "The security token included in the request is invalid."]);
});

test("requires PassRole of the role, for Lambda, to create a function", async () => {
  const role = await createServiceRole(cloud, "lambda.amazonaws.com", []);
  const create = (options: Awaited<ReturnType<typeof user>>["options"]) =>
    new LambdaClient(options).send(
      new CreateFunctionCommand({
        FunctionName: unique("function"),
        Role: role,
        Runtime: "nodejs22.x",
        Handler: "index.handler",
        Code: { ZipFile: zipOf("export const handler = () => 1;") },
      }),
    );
  const may = allow("lambda:CreateFunction", "*");
  const pass = (service: string) =>
    allow("iam:PassRole", role, { Condition: { StringEquals: { "iam:PassedToService": service } } });
  const { arn, options } = await user(may, pass("states.amazonaws.com"));
  assert.is(
    (await refusal(create(options))).message,
    `User: ${arn} is not authorized to perform: iam:PassRole on resource: ${role} ${why("iam:PassRole")}`,
  );
  await create((await user(may, pass("lambda.amazonaws.com"))).options);
});

/** Code of a function that sends a message to a queue by its URL. */
const SENDER = `
import { createHash, createHmac } from "node:crypto";
export const handler = async ({ url }) => {
  const { AWS_ACCESS_KEY_ID: key, AWS_SESSION_TOKEN: token, AWS_ENDPOINT_URL: endpoint } = process.env;
  const answer = await fetch(endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": "AmazonSQS.SendMessage",
      "x-amz-security-token": token,
      authorization: "AWS4-HMAC-SHA256 Credential=" + key + "/20260101/eu-west-1/sqs/aws4_request, SignedHeaders=host, Signature=0",
    },
    body: JSON.stringify({ QueueUrl: url, MessageBody: "one" }),
  });
  return { status: answer.status, message: (await answer.json()).message };
};`;

test("gives a function the current permissions of its role", async () => {
  const queue = `arn:aws:sqs:eu-west-1:${cloud.accountId}:orders`;
  const url = `${cloud.endpoint}/${cloud.accountId}/orders`;
  const lambda = new LambdaClient(root);
  const narrow = await createServiceRole(cloud, "lambda.amazonaws.com", [allow("sqs:ReceiveMessage", queue)]);
  const { payload } = await invoke(lambda, await createFunction(cloud, lambda, SENDER, { Role: narrow }), { url });
  assert.is(payload.status, 400);
  assert.match(
    payload.message,
    /assumed-role\/role-\S+ is not authorized to perform: sqs:SendMessage on resource: \S+:orders /,
  );
  const role = await createServiceRole(cloud, "lambda.amazonaws.com", [allow("sqs:SendMessage", queue)]);
  const allowed = await invoke(lambda, await createFunction(cloud, lambda, SENDER, { Role: role }), { url });
  assert.match(allowed.payload.message, "queue does not exist", "the call reaches the service");
});

test("does not run a function whose role does not trust Lambda", async () => {
  const Role = await createServiceRole(cloud, "states.amazonaws.com", []);
  const lambda = new LambdaClient(root);
  const name = await createFunction(cloud, lambda, "export const handler = () => 1;", { Role });
  assert.match((await refusal(invoke(lambda, name))).message, `lambda.amazonaws.com is not allowed to assume ${Role}`);
});

test("uses a state machine's own role to call functions", async () => {
  const lambda = new LambdaClient(root);
  const sfn = new SFNClient(root);
  const Role = await createServiceRole(cloud, "lambda.amazonaws.com", []);
  const name = await createFunction(cloud, lambda, "export const handler = async () => 1;", { Role });
  const arn = `arn:aws:lambda:eu-west-1:${cloud.accountId}:function:${name}`;
  const run = async (statements: Statements) => {
    const task = {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke",
      Parameters: { FunctionName: arn },
      End: true,
    };
    const machine = await sfn.send(
      new CreateStateMachineCommand({
        name: unique("machine"),
        definition: JSON.stringify({ StartAt: "Call", States: { Call: task } }),
        roleArn: await createServiceRole(cloud, "states.amazonaws.com", statements),
      }),
    );
    const { executionArn } = await sfn.send(new StartExecutionCommand({ stateMachineArn: machine.stateMachineArn }));
    return waitFor(
      async () => {
        const found = await sfn.send(new DescribeExecutionCommand({ executionArn }));
        return found.status === "RUNNING" ? undefined : found;
      },
      { what: "the execution to end", timeoutMs: 60_000 },
    );
  };
  const refused = await run([]);
  assert.is(refused.status, "FAILED");
  assert.match(refused.cause ?? "", `is not authorized to perform: lambda:InvokeFunction on resource: ${arn}`);
  assert.is((await run([allow("lambda:InvokeFunction", arn)])).status, "SUCCEEDED");
});

test("records its decisions", async () => {
  const { arn, options } = await user(allow("sqs:SendMessage", "*"));
  const sqs = new SQSClient(options);
  const send = () => sqs.send(new SendMessageCommand({ QueueUrl: `${cloud.endpoint}/1/none`, MessageBody: "x" }));
  await refusal(send());
  await refusal(send());
  const mine = (await decisionsOf(cloud)).filter(({ principal }) => principal === arn);
  const resource = `arn:aws:sqs:eu-west-1:${cloud.accountId}:none`;
  assert.equal(mine, [{ principal: arn, action: "sqs:SendMessage", resource, allowed: true, count: 2 }]);
});

test.run();
