// What somebody tries who has only the policies that `relevance permissions` prints.
import * as apis from "@aws-sdk/client-api-gateway";
import { PutSubscriptionFilterCommand } from "@aws-sdk/client-cloudwatch-logs";
import * as ec2 from "@aws-sdk/client-ec2";
import * as iam from "@aws-sdk/client-iam";
import * as lambda from "@aws-sdk/client-lambda";
import { DeleteModelCommand } from "@aws-sdk/client-sagemaker";
import { AssumeRoleCommand } from "@aws-sdk/client-sts";
import * as assert from "uvu/assert";
import { PROJECT_TAG, STACK_TAG } from "../../lib/platform/naming/tags.ts";
import { ownCloud } from "../fixtures/cloud.ts";
import { ADMINISTRATOR, ALL, escalationWorld, OTHER, PROJECT } from "../fixtures/escalation-world.ts";
import { suite } from "../suite.ts";

const test = suite("escalations of a deployer");
const cloud = await ownCloud();
test.after(() => cloud.stop());
const world = await escalationWorld(cloud);
const { own, others, noTags, deployer, mine, keyTags, pairs, roleArn, record, mapping, newModel, newFunction } = world;
const { HERE, BOUNDARY, ROLE, UNBOUNDED, OTHERS_ROLE, FUNCTION, OTHERS_FUNCTION, ANYBODY, Policy, ZipFile } = world;

const policyVersion = { PolicyArn: BOUNDARY, PolicyDocument: ALL, SetAsDefault: true };
const oneself = { UserName: "deployer", PolicyArn: ADMINISTRATOR };
const inline = { UserName: "deployer", PolicyName: "all", PolicyDocument: ALL };
const trust = (RoleName: string) => new iam.UpdateAssumeRolePolicyCommand({ RoleName, PolicyDocument: ANYBODY });
const permission = { StatementId: "x", Action: "lambda:InvokeFunction", Principal: "*" };
const filter = { logGroupName: `/aws/lambda/${FUNCTION}`, filterName: "x", filterPattern: "" };
const destination = { destinationArn: `arn:aws:firehose:${HERE}:deliverystream/x`, roleArn: roleArn(ROLE) };
const alias = { AliasName: `alias/${PROJECT}-relevance` };
const NEW_ROLE = `${PROJECT}-suggestions-${cloud.region}`;

type Attempt = readonly [what: string, action: string, call: () => Promise<unknown>];

/** Who escalates, by way of what; each is refused for this action. */
const REFUSED: readonly Attempt[] = [
  [
    "a new version of the boundary",
    "iam:CreatePolicyVersion",
    () => deployer.iam.send(new iam.CreatePolicyVersionCommand(policyVersion)),
  ],
  [
    "an earlier version of the boundary",
    "iam:SetDefaultPolicyVersion",
    () => deployer.iam.send(new iam.SetDefaultPolicyVersionCommand({ PolicyArn: BOUNDARY, VersionId: "v1" })),
  ],
  ["a policy for oneself", "iam:AttachUserPolicy", () => deployer.iam.send(new iam.AttachUserPolicyCommand(oneself))],
  ["an inline policy for oneself", "iam:PutUserPolicy", () => deployer.iam.send(new iam.PutUserPolicyCommand(inline))],
  [
    "a key of another user",
    "iam:CreateAccessKey",
    () => deployer.iam.send(new iam.CreateAccessKeyCommand({ UserName: "admin" })),
  ],
  ["a role without a boundary", "iam:CreateRole", () => deployer.iam.send(world.newRole(NEW_ROLE))],
  ["a role with another boundary", "iam:CreateRole", () => deployer.iam.send(world.newRole(NEW_ROLE, ADMINISTRATOR))],
  [
    "a role that is not of the stacks",
    "iam:CreateRole",
    () => deployer.iam.send(world.newRole(`${PROJECT}-mine`, BOUNDARY)),
  ],
  [
    "removing the boundary",
    "iam:DeleteRolePermissionsBoundary",
    () => deployer.iam.send(new iam.DeleteRolePermissionsBoundaryCommand({ RoleName: ROLE })),
  ],
  ["another boundary", "iam:PutRolePermissionsBoundary", () => deployer.iam.send(world.boundary(ROLE, ADMINISTRATOR))],
  ["a policy of a role without a boundary", "iam:PutRolePolicy", () => deployer.iam.send(world.rolePolicy(UNBOUNDED))],
  ["a policy of another project's role", "iam:PutRolePolicy", () => deployer.iam.send(world.rolePolicy(OTHERS_ROLE))],
  [
    "administration for the role of logs",
    "iam:AttachRolePolicy",
    () =>
      deployer.iam.send(new iam.AttachRolePolicyCommand({ RoleName: "api-gateway-logs", PolicyArn: ADMINISTRATOR })),
  ],
  ["who may assume another project's role", "iam:UpdateAssumeRolePolicy", () => deployer.iam.send(trust(OTHERS_ROLE))],
  ["who may assume a role without a boundary", "iam:UpdateAssumeRolePolicy", () => deployer.iam.send(trust(UNBOUNDED))],
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
    () => deployer.logs.send(new PutSubscriptionFilterCommand({ ...filter, ...destination })),
  ],
  [
    "the code of another project's function",
    "lambda:UpdateFunctionCode",
    () => deployer.lambda.send(new lambda.UpdateFunctionCodeCommand({ FunctionName: OTHERS_FUNCTION, ZipFile })),
  ],
  [
    "who may invoke another project's function",
    "lambda:AddPermission",
    () => deployer.lambda.send(new lambda.AddPermissionCommand({ FunctionName: OTHERS_FUNCTION, ...permission })),
  ],
  [
    "an event source of another project's function",
    "lambda:CreateEventSourceMapping",
    () => deployer.lambda.send(world.source(OTHERS_FUNCTION)),
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
    () => mine("UpdateAlias", { ...alias, TargetKeyId: others.key }),
  ],
  ["a key without the project's tag", "kms:CreateKey", () => mine("CreateKey", { Tags: keyTags(OTHER) })],
  [
    "another project's API",
    "apigateway:PATCH",
    () =>
      deployer.apis.send(
        new apis.UpdateRestApiCommand({ restApiId: others.api, patchOperations: world.patchOperations }),
      ),
  ],
  [
    "the end of another project's API",
    "apigateway:DELETE",
    () => deployer.apis.send(new apis.DeleteRestApiCommand({ restApiId: others.api })),
  ],
  [
    "the project's tag for another project's API",
    "apigateway:PUT",
    () => deployer.apis.send(world.tagsOfApi(others.api, { [PROJECT_TAG]: PROJECT })),
  ],
  [
    "an API without the project's tag",
    "apigateway:POST",
    () => deployer.apis.send(new apis.CreateRestApiCommand({ name: "x" })),
  ],
  [
    "opening another project's security group",
    "ec2:AuthorizeSecurityGroupIngress",
    () => deployer.ec2.send(world.ingress(others.group)),
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
  ["a role with the boundary", "iam:CreateRole", () => deployer.iam.send(world.newRole(NEW_ROLE, BOUNDARY))],
  ["a policy of such a role", "iam:PutRolePolicy", () => deployer.iam.send(world.rolePolicy(ROLE))],
  [
    "the boundary again",
    "iam:PutRolePermissionsBoundary",
    () => deployer.iam.send(world.boundary(UNBOUNDED, BOUNDARY)),
  ],
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
  ["an alias", "kms:UpdateAlias", () => mine("UpdateAlias", { ...alias, TargetKeyId: own.key })],
  [
    "an API",
    "apigateway:PATCH",
    () =>
      deployer.apis.send(new apis.UpdateRestApiCommand({ restApiId: own.api, patchOperations: world.patchOperations })),
  ],
  [
    "another tag of an API",
    "apigateway:PUT",
    () => deployer.apis.send(world.tagsOfApi(own.api, { [STACK_TAG]: "search-gateway" })),
  ],
  ["a security group", "ec2:AuthorizeSecurityGroupIngress", () => deployer.ec2.send(world.ingress(own.group))],
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
