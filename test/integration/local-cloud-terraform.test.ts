// What Terraform's AWS provider reads back, or is told of a missing resource, in the service's protocol and never as moto's
// HTML page with status 500. Each test covers one repair of moto.
import {
  APIGatewayClient,
  CreateBasePathMappingCommand,
  CreateDomainNameCommand,
  CreateRestApiCommand,
  DeleteRestApiCommand,
  DeleteUsagePlanKeyCommand,
  GetBasePathMappingsCommand,
  GetDeploymentCommand,
  GetResourcesCommand,
  PutRestApiCommand,
} from "@aws-sdk/client-api-gateway";
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
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketNotificationConfigurationCommand,
  ListObjectVersionsCommand,
  PutBucketNotificationConfigurationCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as assert from "uvu/assert";
import { preflight } from "../../lib/infrastructure/preflight.ts";
import { createFunction, createRole, unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { callJson } from "../../packages/local-aws/test/cloud/raw-api.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: what Terraform reads back");
const cloud = await sharedCloud();
const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });
const sqs = new SQSClient(clientOptions(cloud));
const lambda = new LambdaClient(clientOptions(cloud));
const gateway = new APIGatewayClient(clientOptions(cloud));

async function createBucket(): Promise<string> {
  const Bucket = unique("bucket");
  await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint: "eu-west-1" } }));
  return Bucket;
}

const sagemaker = <Answer = unknown>(action: string, body: object) =>
  callJson<Answer>(cloud, "sagemaker", `SageMaker.${action}`, body);

test("S3: a bucket with delete markers can be emptied after versioning is turned off", async () => {
  const Bucket = await createBucket();
  await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: "Enabled" } }));
  await s3.send(new PutObjectCommand({ Bucket, Key: "k", Body: "1" }));
  await s3.send(new DeleteObjectCommand({ Bucket, Key: "k" }));
  // Terraform destroys the versioning first.
  await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: "Suspended" } }));
  const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
  const Objects = [...Versions, ...DeleteMarkers].map(({ Key = "", VersionId = "" }) => ({ Key, VersionId }));
  const { Errors } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  assert.equal([Objects.length, Errors ?? []], [2, []]);
});

test("S3: a policy without a condition still denies", async () => {
  const Bucket = await createBucket();
  const Statement = [
    { Effect: "Deny", Principal: "*", Action: "s3:PutObject", Resource: `arn:aws:s3:::${Bucket}/*` },
    { Effect: "Deny", Principal: "*", Action: "s3:*", Resource: "*", Condition: { Null: { "aws:Foo": "true" } } },
  ];
  await s3.send(new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Version: "2012-10-17", Statement }) }));
  const put = s3.send(new PutObjectCommand({ Bucket, Key: "k", Body: "1" }));
  assert.is(await put.catch((error) => error.$metadata.httpStatusCode), 403);
});

test("S3: notification to EventBridge is read back, only where a bucket has it", async () => {
  const Bucket = await createBucket();
  const read = async () =>
    (await s3.send(new GetBucketNotificationConfigurationCommand({ Bucket }))).EventBridgeConfiguration;
  assert.is(await read(), undefined);
  const NotificationConfiguration = { EventBridgeConfiguration: {} };
  await s3.send(new PutBucketNotificationConfigurationCommand({ Bucket, NotificationConfiguration }));
  assert.equal(await read(), {});
});

test("SQS: the redrive policy is read back without spaces", async () => {
  const dead = unique("dead");
  await sqs.send(new CreateQueueCommand({ QueueName: dead }));
  const deadLetterTargetArn = `arn:aws:sqs:${cloud.region}:${cloud.accountId}:${dead}`;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 5 });
  const { QueueUrl } = await sqs.send(
    new CreateQueueCommand({ QueueName: unique("queue"), Attributes: { RedrivePolicy } }),
  );
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
  assert.is(Attributes?.RedrivePolicy, RedrivePolicy);
});

interface Endpoint {
  EndpointConfigName: string;
  LastDeploymentConfig: unknown;
}

async function createModel(): Promise<string> {
  const ModelName = unique("model");
  const ExecutionRoleArn = await createRole(cloud);
  const PrimaryContainer = { Image: `${cloud.accountId}.dkr.ecr.eu-west-1.amazonaws.com/model:1` };
  await sagemaker("CreateModel", { ModelName, ExecutionRoleArn, PrimaryContainer });
  return ModelName;
}

async function createEndpointConfig(): Promise<string> {
  const EndpointConfigName = unique("config");
  const variant = { VariantName: "main", ModelName: await createModel(), InitialInstanceCount: 1 };
  const ProductionVariants = [{ ...variant, InstanceType: "ml.c6i.xlarge" }];
  await sagemaker("CreateEndpointConfig", { EndpointConfigName, ProductionVariants });
  return EndpointConfigName;
}

test("API Gateway: methods imported from a document keep ANY, key, authorization and integration type", async () => {
  const { id: restApiId } = await gateway.send(new CreateRestApiCommand({ name: unique("api") }));
  const header = { type: "apiKey", name: "x", in: "header" };
  const method = (scheme: string) => ({
    responses: {},
    "x-amazon-apigateway-integration": { type: "aws_proxy", httpMethod: "POST", uri: "u" },
    security: [{ [scheme]: [] }],
  });
  const { responses, ...mock } = preflight({ allowOrigins: ["*"], credentialHeaders: [], methods: ["POST"] });
  const document = {
    openapi: "3.0.1",
    info: { title: "t", version: "1" },
    components: {
      securitySchemes: {
        key: header,
        signed: { ...header, "x-amazon-apigateway-authtype": "awsSigv4" },
        own: { ...header, "x-amazon-apigateway-authtype": "custom", "x-amazon-apigateway-authorizer": {} },
      },
    },
    paths: {
      "/a": {
        "x-amazon-apigateway-any-method": method("key"),
        get: method("signed"),
        post: method("own"),
        options: { responses, ...mock },
      },
    },
  };
  await gateway.send(
    new PutRestApiCommand({ restApiId, mode: "overwrite", body: Buffer.from(JSON.stringify(document)) }),
  );
  const { items = [] } = await gateway.send(new GetResourcesCommand({ restApiId, embed: ["methods"] }));
  const methods = items.find(({ path }) => path === "/a")?.resourceMethods ?? {};
  assert.equal(
    Object.entries(methods)
      .map(([name, found]) => [name, found.apiKeyRequired, found.authorizationType, found.methodIntegration?.type])
      .sort(),
    [
      ["ANY", true, "NONE", "AWS_PROXY"],
      ["GET", false, "AWS_IAM", "AWS_PROXY"],
      ["OPTIONS", false, "NONE", "MOCK"],
      ["POST", false, "CUSTOM", "AWS_PROXY"],
    ],
  );
  const { requestTemplates, passthroughBehavior, contentHandling } = methods.OPTIONS?.methodIntegration ?? {};
  assert.equal(
    { requestTemplates, passthroughBehavior, contentHandling },
    {
      requestTemplates: { "application/json": '{"statusCode": 204}' },
      passthroughBehavior: "NEVER",
      contentHandling: "CONVERT_TO_TEXT",
    },
  );
});

test("SageMaker: an endpoint keeps its deployment configuration and can be updated", async () => {
  const EndpointName = unique("endpoint");
  const DeploymentConfig = {
    RollingUpdatePolicy: { MaximumBatchSize: { Type: "INSTANCE_COUNT", Value: 1 }, WaitIntervalInSeconds: 60 },
  };
  await sagemaker("CreateEndpoint", {
    EndpointName,
    EndpointConfigName: await createEndpointConfig(),
    DeploymentConfig,
  });
  const created = await sagemaker<Endpoint>("DescribeEndpoint", { EndpointName });
  assert.equal(created.LastDeploymentConfig, DeploymentConfig);

  const EndpointConfigName = await createEndpointConfig();
  await sagemaker("UpdateEndpoint", { EndpointName, EndpointConfigName });
  const updated = await sagemaker<Endpoint>("DescribeEndpoint", { EndpointName });
  assert.is(updated.EndpointConfigName, EndpointConfigName);
});

test("API Gateway: a host name accepts one mapping without a path, and rejects a second", async () => {
  const domainName = `${unique("search")}.example.org`;
  await gateway.send(new CreateDomainNameCommand({ domainName }));
  const { id: restApiId } = await gateway.send(new CreateRestApiCommand({ name: unique("api") }));
  const map = () => gateway.send(new CreateBasePathMappingCommand({ domainName, restApiId }));
  await map();
  const refused = await map().catch((error: Error) => `${error.name}: ${error.message}`);
  assert.is(refused, "ConflictException: Base path already exists for this domain name");
});

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

/** Returns the HTTP status and name of the error of a call. */
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => "none",
    (error) => `${error.$metadata?.httpStatusCode} ${error.name}`,
  );

test("API Gateway: a missing deployment of an API is a NotFoundException", async () => {
  const { id: restApiId } = await gateway.send(new CreateRestApiCommand({ name: "half-removed" }));
  const call = gateway.send(new GetDeploymentCommand({ restApiId, deploymentId: "absent" }));
  assert.is(await errorOf(call), "404 NotFoundException");
});

test("API Gateway: a missing API, domain name or usage plan key is a NotFoundException", async () => {
  const calls = [
    gateway.send(new DeleteRestApiCommand({ restApiId: "absent" })),
    gateway.send(new GetBasePathMappingsCommand({ domainName: "absent.example.com" })),
    gateway.send(new DeleteUsagePlanKeyCommand({ usagePlanId: "absent", keyId: "absent" })),
  ];
  assert.equal(
    await Promise.all(calls.map(errorOf)),
    calls.map(() => "404 NotFoundException"),
  );
});

test("a missing resource of a service with the JSON protocol is told in JSON", async () => {
  const error = await callJson(cloud, "kms", "TrentService.ListGrants", { KeyId: "absent" }).catch(String);
  assert.match(String(error), "NotFoundException");
  assert.not.match(String(error), "<!doctype");
});

test.run();
