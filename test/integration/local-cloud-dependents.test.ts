// What a call needs beside its own action: dependent actions of AWS's reference, and roles that services create.
import { randomUUID } from "node:crypto";
import { APIGatewayClient, CreateDomainNameCommand } from "@aws-sdk/client-api-gateway";
import { CreateVpcEndpointCommand, EC2Client } from "@aws-sdk/client-ec2";
import { DeleteRoleCommand, IAMClient, ListRolesCommand } from "@aws-sdk/client-iam";
import { PersonalizeClient, TagResourceCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { seedAccount } from "../../packages/local-aws/cloud/seed.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { createUser, policyOf, type UserKeys } from "../fixtures/principals.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: dependent permissions");
const answering = { services: ["personalize"], handle: async () => ({ status: 200, body: "{}" }) };
const cloud = await ownCloud({ standIns: [answering] });
test.after(() => cloud.stop());

const root = clientOptions(cloud);

/** Returns the credentials of a user who may do these actions. */
const user = (Action: readonly string[], Resource = "*"): Promise<UserKeys> =>
  createUser(cloud, unique("user"), [policyOf([{ Effect: "Allow", Action, Resource }])]);

/** Returns the action that a call lacks; undefined if nothing is denied. */
async function lacking(call: Promise<unknown>): Promise<string | undefined> {
  const error = await call.then(
    () => undefined,
    (reason: Error) => reason,
  );
  return /is not authorized to perform: (\S+)/.exec(error?.message ?? "")?.[1];
}

/** Registers a scalable target; the SDK's client is not installed. */
async function register({ accessKeyId }: UserKeys, ServiceNamespace: string): Promise<void> {
  const dimension = ServiceNamespace === "lambda" ? "function:ProvisionedConcurrency" : "service:DesiredCount";
  const response = await fetch(cloud.endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": "AnyScaleFrontendService.RegisterScalableTarget",
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20300101/eu-west-1/application-autoscaling/aws4_request`,
    },
    body: JSON.stringify({
      ServiceNamespace,
      ResourceId: ServiceNamespace === "lambda" ? "function:one:live" : "service/default/one",
      ScalableDimension: `${ServiceNamespace}:${dimension}`,
      MinCapacity: 1,
      MaxCapacity: 2,
    }),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function linkedRoles(): Promise<string[]> {
  const { Roles = [] } = await new IAMClient(root).send(new ListRolesCommand({}));
  return Roles.filter(({ Path }) => Path?.startsWith("/aws-service-role/")).map(({ RoleName = "" }) => RoleName);
}

const SCALING = ["application-autoscaling:*", "lambda:*ProvisionedConcurrencyConfig"];

test("Application Auto Scaling looks whether its caller may change what it shall scale", async () => {
  const without = await user(["application-autoscaling:*", "lambda:PutProvisionedConcurrencyConfig"]);
  assert.is(await lacking(register(without, "lambda")), "lambda:DeleteProvisionedConcurrencyConfig");
});

test("the first scalable target of a service needs the permission to create its role, the second does not", async () => {
  const without = await user(SCALING);
  assert.is(await lacking(register(without, "lambda")), "iam:CreateServiceLinkedRole");
  const other = await user([...SCALING, "iam:CreateServiceLinkedRole"]);
  await register(other, "lambda");
  assert.equal((await linkedRoles()).length, 1);
  await register(without, "lambda");
  // Each service has a role of its own.
  assert.is(await lacking(register(without, "ecs")), "iam:CreateServiceLinkedRole");
});

test("so does the first regional host name of an account", async () => {
  const create = async (credentials: UserKeys) =>
    new APIGatewayClient({ ...root, credentials }).send(
      new CreateDomainNameCommand({
        domainName: `${randomUUID()}.example.com`,
        endpointConfiguration: { types: ["REGIONAL"] },
      }),
    );
  const without = await user(["apigateway:*"]);
  assert.is(await lacking(create(without)), "iam:CreateServiceLinkedRole");
  await create(await user(["apigateway:*", "iam:CreateServiceLinkedRole"]));
  assert.is(await lacking(create(without)), undefined);
  const RoleName = (await linkedRoles()).find((name) => /apigateway/i.test(name));
  assert.ok(RoleName);
  await new IAMClient(root).send(new DeleteRoleCommand({ RoleName }));
  assert.is(await lacking(create(without)), "iam:CreateServiceLinkedRole");
});

test("an interface endpoint with private names is associated with a zone; each action depends on what AWS says", async () => {
  const { vpcId: VpcId } = await seedAccount(cloud);
  const create = (credentials: UserKeys, PrivateDnsEnabled: boolean) =>
    new EC2Client({ ...root, credentials }).send(
      new CreateVpcEndpointCommand({
        VpcId,
        ServiceName: "com.amazonaws.eu-west-1.secretsmanager",
        VpcEndpointType: "Interface",
        PrivateDnsEnabled,
      }),
    );
  const described = ["ec2:DescribeSecurityGroups", "ec2:DescribeSubnets", "ec2:DescribeVpcs"];
  assert.is(await lacking(create(await user(["ec2:CreateVpcEndpoint"]), false)), "ec2:DescribeSecurityGroups");
  const without = await user(["ec2:CreateVpcEndpoint", ...described]);
  assert.is(await lacking(create(without, false)), undefined);
  assert.is(await lacking(create(without, true)), "route53:AssociateVPCWithHostedZone");
  const all = await user(["ec2:CreateVpcEndpoint", "route53:AssociateVPCWithHostedZone", ...described]);
  assert.is(await lacking(create(all, true)), undefined);
});

test("an action without resource types must be allowed for any resource, and for that of the call", async () => {
  const resourceArn = `arn:aws:personalize:eu-west-1:${cloud.accountId}:campaign/one`;
  const tag = (credentials: UserKeys) =>
    new PersonalizeClient({ ...root, credentials }).send(
      new TagResourceCommand({ resourceArn, tags: [{ tagKey: "a", tagValue: "b" }] }),
    );
  const action = "personalize:TagResource";
  assert.is(await lacking(tag(await user([action], resourceArn))), action);
  assert.is(await lacking(tag(await user([action]))), undefined);
});

test.run();
