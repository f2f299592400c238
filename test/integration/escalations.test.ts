// What somebody tries who has only the policies that `relevance permissions` prints, in an account with another project, whose
// name begins as this one's does.
import * as apis from "@aws-sdk/client-api-gateway";
import { CloudWatchLogsClient, PutSubscriptionFilterCommand } from "@aws-sdk/client-cloudwatch-logs";
import * as ec2 from "@aws-sdk/client-ec2";
import * as iam from "@aws-sdk/client-iam";
import * as lambda from "@aws-sdk/client-lambda";
import { type ChangeAction, ChangeResourceRecordSetsCommand, Route53Client } from "@aws-sdk/client-route-53";
import { CreateModelCommand, DeleteModelCommand, SageMakerClient } from "@aws-sdk/client-sagemaker";
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import * as assert from "uvu/assert";
import { PROJECT_TAG, STACK_TAG } from "../../lib/platform/naming/tags.ts";
import { zipOf } from "../../packages/local-aws/test/cloud/functions.ts";
import { callJson } from "../../packages/local-aws/test/cloud/raw-api.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { configuration } from "../fixtures/configurations/configurations.ts";
import { printedPolicies } from "../fixtures/deployer.ts";
import { createUser, policyOf } from "../fixtures/principals.ts";
import { suite } from "../suite.ts";

const test = suite("escalations of a deployer");
const cloud = await ownCloud();
test.after(() => cloud.stop());

const PROJECT = "all-options";
const OTHER = "all-options-two";
const HERE = `${cloud.region}:${cloud.accountId}`;
const BOUNDARY = `arn:aws:iam::${cloud.accountId}:policy/developers`;
const ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess";
const roleArn = (name: string) => `arn:aws:iam::${cloud.accountId}:role/${name}`;
const ROLE = `${PROJECT}-api-router-${cloud.region}`;
/** A role of this project that an administrator made before there was a boundary. */
const UNBOUNDED = `${PROJECT}-log-handler-${cloud.region}`;
const OTHERS_ROLE = `${OTHER}-api-router-${cloud.region}`;
const FUNCTION = `${PROJECT}-api-router`;
const OTHERS_FUNCTION = `${OTHER}-api-router`;
const ALL = policyOf([{ Effect: "Allow", Action: "*", Resource: "*" }]);
const TRUST = policyOf([{ Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" }, Action: "sts:AssumeRole" }]);
const ANYBODY = policyOf([{ Effect: "Allow", Principal: { AWS: "*" }, Action: "sts:AssumeRole" }]);
const code = { Runtime: "nodejs22.x" as const, Architectures: ["arm64" as const], Handler: "index.handler" };
const ZipFile = zipOf("export const handler = () => 1");

type Options = ReturnType<typeof clientOptions>;
const clientsOf = (options: Options) => ({
  apis: new apis.APIGatewayClient(options),
  ec2: new ec2.EC2Client(options),
  iam: new iam.IAMClient(options),
  lambda: new lambda.LambdaClient(options),
  logs: new CloudWatchLogsClient(options),
  route53: new Route53Client(options),
  sagemaker: new SageMakerClient(options),
  sqs: new SQSClient(options),
  sts: new STSClient(options),
});
const root = clientsOf(clientOptions(cloud));

interface Key {
  KeyMetadata: { KeyId: string };
  CiphertextBlob: string;
}
const keys = (operation: string, body: object, key?: string) =>
  callJson<Key>(cloud, "kms", `TrentService.${operation}`, body, key);
const mine = (operation: string, body: object) => keys(operation, body, credentials.accessKeyId);

const pairs = (project: string) => [{ Key: PROJECT_TAG, Value: project }];
const keyTags = (project: string) => [{ TagKey: PROJECT_TAG, TagValue: project }];

/** Creates what a project has. Returns the ids that AWS chooses. */
async function project(name: string) {
  const { KeyMetadata } = await keys("CreateKey", { Tags: keyTags(name) });
  const key = KeyMetadata.KeyId;
  await keys("CreateAlias", { AliasName: `alias/${name}-relevance`, TargetKeyId: key });
  const plain = btoa("secret");
  const { CiphertextBlob } = await keys("Encrypt", { KeyId: key, Plaintext: plain });
  const { id: api = "" } = await root.apis.send(new apis.CreateRestApiCommand({ name, tags: { [PROJECT_TAG]: name } }));
  const TagSpecifications = [{ ResourceType: "security-group" as const, Tags: pairs(name) }];
  const { Vpcs = [] } = await root.ec2.send(new ec2.DescribeVpcsCommand({}));
  const vpc = Vpcs[0]?.VpcId ?? "";
  const { GroupId: group = "" } = await root.ec2.send(
    new ec2.CreateSecurityGroupCommand({ GroupName: name, Description: name, VpcId: vpc, TagSpecifications }),
  );
  const role = `${name}-api-router-${cloud.region}`;
  const PermissionsBoundary = BOUNDARY;
  await root.iam.send(
    new iam.CreateRoleCommand({
      RoleName: role,
      AssumeRolePolicyDocument: TRUST,
      PermissionsBoundary,
      Tags: pairs(name),
    }),
  );
  const FunctionName = `${name}-api-router`;
  await root.lambda.send(
    new lambda.CreateFunctionCommand({ FunctionName, Role: roleArn(role), ...code, Code: { ZipFile } }),
  );
  await root.sqs.send(new CreateQueueCommand({ QueueName: `${name}-realtime` }));
  const { UUID } = await root.lambda.send(
    new lambda.CreateEventSourceMappingCommand({
      FunctionName,
      EventSourceArn: `arn:aws:sqs:${HERE}:${name}-realtime`,
    }),
  );
  const ExecutionRoleArn = roleArn(role);
  await root.sagemaker.send(
    new CreateModelCommand({
      ModelName: `${name}-dense`,
      ExecutionRoleArn,
      PrimaryContainer: { Image: "1" },
      Tags: pairs(name),
    }),
  );
  return { key, CiphertextBlob, api, vpc, group, mapping: UUID };
}

await root.iam.send(new iam.CreatePolicyCommand({ PolicyName: "developers", PolicyDocument: ALL }));
const [own, others] = [await project(PROJECT), await project(OTHER)];
await root.iam.send(new iam.CreateRoleCommand({ RoleName: UNBOUNDED, AssumeRolePolicyDocument: TRUST }));
const { KeyMetadata: noTags } = await keys("CreateKey", {});
await keys("CreateAlias", { AliasName: "alias/accounting", TargetKeyId: noTags.KeyId });

const config = configuration(PROJECT, [
  ["project.yaml", ["aws", "permissions_boundary_arn"], BOUNDARY],
  ["project.yaml", ["vpc", "domain_security_group_id"], own.group],
]);
const credentials = await createUser(cloud, "deployer", printedPolicies(config, cloud.accountId));
const deployer = clientsOf({ ...clientOptions(cloud), credentials });

const record = (Name: string, HostedZoneId = "Z0123456789ABCDEFGHIJ", Action: ChangeAction = "UPSERT") =>
  new ChangeResourceRecordSetsCommand({
    HostedZoneId,
    ChangeBatch: {
      Changes: [{ Action, ResourceRecordSet: { Name, Type: "A", TTL: 60, ResourceRecords: [{ Value: "192.0.2.1" }] } }],
    },
  });
const ingress = (GroupId: string) =>
  new ec2.AuthorizeSecurityGroupIngressCommand({ GroupId, IpProtocol: "-1", CidrIp: "0.0.0.0/0" });
const newFunction = (FunctionName: string, role: string) =>
  new lambda.CreateFunctionCommand({ FunctionName, Role: roleArn(role), ...code, Code: { ZipFile } });
const newRole = (RoleName: string, PermissionsBoundary?: string) =>
  new iam.CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: TRUST, PermissionsBoundary, Tags: pairs(PROJECT) });
const rolePolicy = (RoleName: string) =>
  new iam.PutRolePolicyCommand({ RoleName, PolicyName: "all", PolicyDocument: ALL });
const newModel = (ModelName: string, project: string) =>
  new CreateModelCommand({
    ModelName,
    ExecutionRoleArn: roleArn(ROLE),
    PrimaryContainer: { Image: "1" },
    Tags: pairs(project),
  });
const mapping = (UUID: string | undefined, FunctionName: string) =>
  new lambda.UpdateEventSourceMappingCommand({ UUID, FunctionName });
const source = (FunctionName: string) =>
  new lambda.CreateEventSourceMappingCommand({
    FunctionName,
    EventSourceArn: `arn:aws:sqs:${HERE}:${PROJECT}-realtime`,
  });
const tagsOfApi = (id: string, tags: Record<string, string>) =>
  new apis.TagResourceCommand({ resourceArn: `arn:aws:apigateway:${cloud.region}::/restapis/${id}`, tags });
const boundary = (RoleName: string, PermissionsBoundary: string) =>
  new iam.PutRolePermissionsBoundaryCommand({ RoleName, PermissionsBoundary });
const Policy = policyOf([
  { Effect: "Allow", Principal: { AWS: `arn:aws:iam::${cloud.accountId}:root` }, Action: "kms:*", Resource: "*" },
]);
const patchOperations: apis.PatchOperation[] = [{ op: "replace", path: "/description", value: "mine" }];

type Attempt = readonly [what: string, action: string, call: () => Promise<unknown>];

/** Who escalates, by way of what; each is refused for this action. */
const REFUSED: readonly Attempt[] = [
  [
    "a new version of the boundary",
    "iam:CreatePolicyVersion",
    () =>
      deployer.iam.send(
        new iam.CreatePolicyVersionCommand({ PolicyArn: BOUNDARY, PolicyDocument: ALL, SetAsDefault: true }),
      ),
  ],
  [
    "an earlier version of the boundary",
    "iam:SetDefaultPolicyVersion",
    () => deployer.iam.send(new iam.SetDefaultPolicyVersionCommand({ PolicyArn: BOUNDARY, VersionId: "v1" })),
  ],
  [
    "a policy for oneself",
    "iam:AttachUserPolicy",
    () => deployer.iam.send(new iam.AttachUserPolicyCommand({ UserName: "deployer", PolicyArn: ADMINISTRATOR })),
  ],
  [
    "an inline policy for oneself",
    "iam:PutUserPolicy",
    () =>
      deployer.iam.send(new iam.PutUserPolicyCommand({ UserName: "deployer", PolicyName: "all", PolicyDocument: ALL })),
  ],
  [
    "a key of another user",
    "iam:CreateAccessKey",
    () => deployer.iam.send(new iam.CreateAccessKeyCommand({ UserName: "admin" })),
  ],
  [
    "a role without a boundary",
    "iam:CreateRole",
    () => deployer.iam.send(newRole(`${PROJECT}-suggestions-${cloud.region}`)),
  ],
  [
    "a role with another boundary",
    "iam:CreateRole",
    () => deployer.iam.send(newRole(`${PROJECT}-suggestions-${cloud.region}`, ADMINISTRATOR)),
  ],
  ["a role that is not of the stacks", "iam:CreateRole", () => deployer.iam.send(newRole(`${PROJECT}-mine`, BOUNDARY))],
  [
    "removing the boundary",
    "iam:DeleteRolePermissionsBoundary",
    () => deployer.iam.send(new iam.DeleteRolePermissionsBoundaryCommand({ RoleName: ROLE })),
  ],
  ["another boundary", "iam:PutRolePermissionsBoundary", () => deployer.iam.send(boundary(ROLE, ADMINISTRATOR))],
  ["a policy of a role without a boundary", "iam:PutRolePolicy", () => deployer.iam.send(rolePolicy(UNBOUNDED))],
  ["a policy of another project's role", "iam:PutRolePolicy", () => deployer.iam.send(rolePolicy(OTHERS_ROLE))],
  [
    "administration for the role of logs",
    "iam:AttachRolePolicy",
    () =>
      deployer.iam.send(new iam.AttachRolePolicyCommand({ RoleName: "api-gateway-logs", PolicyArn: ADMINISTRATOR })),
  ],
  [
    "who may assume another project's role",
    "iam:UpdateAssumeRolePolicy",
    () => deployer.iam.send(new iam.UpdateAssumeRolePolicyCommand({ RoleName: OTHERS_ROLE, PolicyDocument: ANYBODY })),
  ],
  [
    "who may assume a role without a boundary",
    "iam:UpdateAssumeRolePolicy",
    () => deployer.iam.send(new iam.UpdateAssumeRolePolicyCommand({ RoleName: UNBOUNDED, PolicyDocument: ANYBODY })),
  ],
  [
    "a session of a role",
    "sts:AssumeRole",
    () => deployer.sts.send(new AssumeRoleCommand({ RoleArn: roleArn(ROLE), RoleSessionName: "mine" })),
  ],
  [
    "passing another project's role",
    "iam:PassRole",
    () => deployer.lambda.send(newFunction(`${PROJECT}-suggestions`, OTHERS_ROLE)),
  ],
  [
    "passing a role to another service",
    "iam:PassRole",
    () =>
      deployer.logs.send(
        new PutSubscriptionFilterCommand({
          logGroupName: `/aws/lambda/${FUNCTION}`,
          filterName: "x",
          filterPattern: "",
          destinationArn: `arn:aws:firehose:${HERE}:deliverystream/x`,
          roleArn: roleArn(ROLE),
        }),
      ),
  ],
  [
    "the code of another project's function",
    "lambda:UpdateFunctionCode",
    () => deployer.lambda.send(new lambda.UpdateFunctionCodeCommand({ FunctionName: OTHERS_FUNCTION, ZipFile })),
  ],
  [
    "who may invoke another project's function",
    "lambda:AddPermission",
    () =>
      deployer.lambda.send(
        new lambda.AddPermissionCommand({
          FunctionName: OTHERS_FUNCTION,
          StatementId: "x",
          Action: "lambda:InvokeFunction",
          Principal: "*",
        }),
      ),
  ],
  [
    "an event source of another project's function",
    "lambda:CreateEventSourceMapping",
    () => deployer.lambda.send(source(OTHERS_FUNCTION)),
  ],
  [
    "another project's event source for one's own function",
    "lambda:UpdateEventSourceMapping",
    () => deployer.lambda.send(mapping(others.mapping, FUNCTION)),
  ],
  [
    "one's own event source for another project's function",
    "lambda:UpdateEventSourceMapping",
    () => deployer.lambda.send(mapping(own.mapping, OTHERS_FUNCTION)),
  ],
  [
    "another project's event source",
    "lambda:DeleteEventSourceMapping",
    () => deployer.lambda.send(new lambda.DeleteEventSourceMappingCommand({ UUID: others.mapping })),
  ],
  [
    "another project's key policy",
    "kms:PutKeyPolicy",
    () => mine("PutKeyPolicy", { KeyId: others.key, PolicyName: "default", Policy }),
  ],
  [
    "the end of another project's key",
    "kms:ScheduleKeyDeletion",
    () => mine("ScheduleKeyDeletion", { KeyId: others.key }),
  ],
  [
    "what another project's key has encrypted",
    "kms:Decrypt",
    () => mine("Decrypt", { KeyId: others.key, CiphertextBlob: others.CiphertextBlob }),
  ],
  [
    "the project's tag for another project's key",
    "kms:TagResource",
    () => mine("TagResource", { KeyId: others.key, Tags: keyTags(PROJECT) }),
  ],
  [
    "the project's tag for a key without tags",
    "kms:TagResource",
    () => mine("TagResource", { KeyId: noTags.KeyId, Tags: keyTags(PROJECT) }),
  ],
  [
    "the project's alias for another project's key",
    "kms:UpdateAlias",
    () => mine("UpdateAlias", { AliasName: `alias/${PROJECT}-relevance`, TargetKeyId: others.key }),
  ],
  ["a key without the project's tag", "kms:CreateKey", () => mine("CreateKey", { Tags: keyTags(OTHER) })],
  [
    "another project's API",
    "apigateway:PATCH",
    () => deployer.apis.send(new apis.UpdateRestApiCommand({ restApiId: others.api, patchOperations })),
  ],
  [
    "the end of another project's API",
    "apigateway:DELETE",
    () => deployer.apis.send(new apis.DeleteRestApiCommand({ restApiId: others.api })),
  ],
  [
    "the project's tag for another project's API",
    "apigateway:PUT",
    () => deployer.apis.send(tagsOfApi(others.api, { [PROJECT_TAG]: PROJECT })),
  ],
  [
    "an API without the project's tag",
    "apigateway:POST",
    () => deployer.apis.send(new apis.CreateRestApiCommand({ name: "x" })),
  ],
  [
    "opening another project's security group",
    "ec2:AuthorizeSecurityGroupIngress",
    () => deployer.ec2.send(ingress(others.group)),
  ],
  [
    "the project's tag for another security group",
    "ec2:CreateTags",
    () => deployer.ec2.send(new ec2.CreateTagsCommand({ Resources: [others.group], Tags: pairs(PROJECT) })),
  ],
  [
    "the end of another project's model",
    "sagemaker:DeleteModel",
    () => deployer.sagemaker.send(new DeleteModelCommand({ ModelName: `${OTHER}-dense` })),
  ],
  [
    "a model without the project's tag",
    "sagemaker:CreateModel",
    () => deployer.sagemaker.send(newModel(`${PROJECT}-rerank`, OTHER)),
  ],
  [
    "another name of the zone",
    "route53:ChangeResourceRecordSets",
    () => deployer.route53.send(record("login.example.org")),
  ],
  [
    "the name in another zone",
    "route53:ChangeResourceRecordSets",
    () => deployer.route53.send(record("search.example.org", "Z00000000000000000000")),
  ],
];

/** What a deployment itself does by the same actions. */
const ALLOWED: readonly Attempt[] = [
  [
    "a role with the boundary",
    "iam:CreateRole",
    () => deployer.iam.send(newRole(`${PROJECT}-suggestions-${cloud.region}`, BOUNDARY)),
  ],
  ["a policy of such a role", "iam:PutRolePolicy", () => deployer.iam.send(rolePolicy(ROLE))],
  ["the boundary again", "iam:PutRolePermissionsBoundary", () => deployer.iam.send(boundary(UNBOUNDED, BOUNDARY))],
  ["a function with its role", "iam:PassRole", () => deployer.lambda.send(newFunction(`${PROJECT}-log-handler`, ROLE))],
  [
    "the code of a function",
    "lambda:UpdateFunctionCode",
    () => deployer.lambda.send(new lambda.UpdateFunctionCodeCommand({ FunctionName: FUNCTION, ZipFile })),
  ],
  [
    "a function's event source",
    "lambda:UpdateEventSourceMapping",
    () => deployer.lambda.send(mapping(own.mapping, FUNCTION)),
  ],
  ["a key", "kms:CreateKey", () => mine("CreateKey", { Tags: keyTags(PROJECT) })],
  ["a key policy", "kms:PutKeyPolicy", () => mine("PutKeyPolicy", { KeyId: own.key, PolicyName: "default", Policy })],
  [
    "an alias",
    "kms:UpdateAlias",
    () => mine("UpdateAlias", { AliasName: `alias/${PROJECT}-relevance`, TargetKeyId: own.key }),
  ],
  [
    "an API",
    "apigateway:PATCH",
    () => deployer.apis.send(new apis.UpdateRestApiCommand({ restApiId: own.api, patchOperations })),
  ],
  [
    "another tag of an API",
    "apigateway:PUT",
    () => deployer.apis.send(tagsOfApi(own.api, { [STACK_TAG]: "search-gateway" })),
  ],
  ["a security group", "ec2:AuthorizeSecurityGroupIngress", () => deployer.ec2.send(ingress(own.group))],
  ["a model", "sagemaker:CreateModel", () => deployer.sagemaker.send(newModel(`${PROJECT}-sparse`, PROJECT))],
];

async function outcomeOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return "allowed";
  } catch (error) {
    return /not authorized to perform: (\S+)/.exec((error as Error).message)?.[1] ?? String(error);
  }
}

test("each of them is refused, and what a deployment does by the same actions is not", async () => {
  const outcomes = [];
  for (const [what, , call] of [...REFUSED, ...ALLOWED]) outcomes.push(`${what}: ${await outcomeOf(call)}`);
  assert.equal(outcomes, [
    ...REFUSED.map(([what, action]) => `${what}: ${action}`),
    ...ALLOWED.map(([what]) => `${what}: allowed`),
  ]);
});

test.run();
