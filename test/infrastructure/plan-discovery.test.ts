// Discovery with the real SDK: what it finds in an account, and what users read about missing resources.
import {
  CreateEndpointCommand,
  CreateEndpointConfigCommand,
  CreateModelCommand,
  SageMakerClient,
} from "@aws-sdk/client-sagemaker";
import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import * as assert from "uvu/assert";
import { discover } from "../../cli/discovery/discover.ts";
import { sdkDiscoveryClients } from "../../cli/discovery/sdk/sdk-clients.ts";
import { DiscoveryError } from "../../lib/infrastructure/discovery.ts";
import { seedAccount } from "../../packages/local-aws/cloud/seed.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { type Change, configuration } from "../fixtures/configurations/configurations.ts";
import { asDeployer } from "../fixtures/deployer.ts";
import { suite } from "../suite.ts";

const test = suite("discovery of a local account");

const cloud = await sharedCloud();
const account = await seedAccount(cloud);
const PROJECT = "project.yaml";
const DNS = ["domain_name_system"];

/** All options, for the seeded account. A zone of moto has an id that no zone of AWS has, so it is found by name. */
const SEEDED: readonly Change[] = [
  [PROJECT, ["project_name"], "discovered"],
  [PROJECT, ["vpc", "vpc_id"], account.vpcId],
  [PROJECT, ["vpc", "subnet_ids"], account.subnetIds],
  [PROJECT, ["vpc", "domain_security_group_id"], account.securityGroupId],
  [PROJECT, ["opensearch", "domain_name"], account.openSearchDomain],
  [PROJECT, ["opensearch", "domain"], `${account.openSearchDomain}.eu-west-1.es.amazonaws.com`],
  [PROJECT, ["opensearch", "auth", "master_user_secret_arn"], account.basicAuthSecretArn],
  ["api.yaml", [...DNS, "domain_name"], account.domainName],
  ["api.yaml", [...DNS, "certificate_arn"], account.certificateArn],
  ["api.yaml", [...DNS, "hosted_zone_id"], undefined],
  // An account has one role for API Gateway's logs, and other files deploy into this one.
  ["api.yaml", ["cloud_watch_role_name"], undefined],
];

const { credentials } = await asDeployer(cloud, configuration("all-options", SEEDED));
const clients = sdkDiscoveryClients({ ...clientOptions(cloud), credentials });

const found = (changes: readonly Change[] = []) =>
  discover(configuration("all-options", [...SEEDED, ...changes]), clients);

async function problems(changes: readonly Change[]): Promise<string[]> {
  const outcome: unknown = await found(changes).catch((error: unknown) => error);
  if (outcome instanceof DiscoveryError) return [...outcome.problems];
  throw new Error(`not refused: ${JSON.stringify(outcome)}`);
}

test("finds the domain, its network, the hosted zone, and the zones that endpoints can be in", async () => {
  const { searchGateway, apiGateway } = await found();
  const subnets = account.subnetIds
    .map((id, index) => ({ id, zone: account.availabilityZones[index] ?? "" }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  assert.equal(searchGateway?.domain, {
    name: account.openSearchDomain,
    arn: account.openSearchDomainArn,
    endpoint: `${account.openSearchDomain}.eu-west-1.es.amazonaws.com`,
    engineVersion: "2.19",
    vpcId: account.vpcId,
    securityGroupIds: [account.securityGroupId],
    instanceCount: 2,
    zones: 2,
    fineGrainedAccess: false,
    subnets,
  });
  const { functionSubnets, cidrBlocks, endpoints, endpointZones } = searchGateway?.network ?? {};
  assert.equal([functionSubnets, cidrBlocks, endpoints], [subnets, ["10.20.0.0/16"], []]);
  assert.equal(Object.keys(endpointZones ?? {}).sort(), [
    "bedrock-runtime",
    "personalize-runtime",
    "sagemaker.runtime",
    "secretsmanager",
  ]);
  assert.ok(endpointZones?.secretsmanager?.includes("eu-west-1a"));
  assert.is(searchGateway?.hostedZoneId, account.hostedZoneId);
  assert.is(apiGateway.role.name, "discovered-api-gateway-logs-eu-west-1");
});

const ABSENT: ReadonlyArray<readonly [what: string, changes: readonly Change[], problem: RegExp]> = [
  ["a domain", [[PROJECT, ["opensearch", "domain_name"], "absent"]], /^there is no domain absent in eu-west-1/],
  ["a subnet", [[PROJECT, ["vpc", "subnet_ids"], ["subnet-00000000000000009"]]], /there is no subnet subnet-0{16}9/],
  ["a zone", [["api.yaml", [...DNS, "hosted_zone_id"], "Z000"]], /^there is no hosted zone Z000/],
  [
    "a certificate",
    [["api.yaml", [...DNS, "certificate_arn"], `${account.certificateArn.slice(0, -4)}0000`]],
    /there is no certificate/,
  ],
  [
    "a secret",
    [[PROJECT, ["opensearch", "auth", "master_user_secret_arn"], `${account.basicAuthSecretArn.slice(0, -6)}AbCdEf`]],
    /there is no secret/,
  ],
];

for (const [what, changes, problem] of ABSENT) {
  test(`reports ${what} that does not exist by name`, async () => {
    assert.match((await problems(changes))[0] ?? "", problem);
  });
}

test("reads the key of a secret by id, alias and ARN", async () => {
  const secrets = new SecretsManagerClient(clientOptions(cloud));
  const keyOf = async (name: string, KmsKeyId: string) => {
    const command = new CreateSecretCommand({
      Name: `${account.openSearchDomain}/${name}`,
      SecretString: "x",
      KmsKeyId,
    });
    const { ARN } = await secrets.send(command);
    return (await clients.secret(ARN ?? ""))?.kmsKey;
  };
  const arn = "arn:aws:kms:eu-west-1:123456789012:";
  assert.is(await keyOf("by-id", "0a1b2c3d"), `${arn}key/0a1b2c3d`);
  assert.is(await keyOf("by-alias", "alias/search"), `${arn}alias/search`);
  assert.is(await keyOf("by-arn", `${arn}key/0a1b2c3d`), `${arn}key/0a1b2c3d`);
  assert.is((await clients.secret(account.basicAuthSecretArn))?.kmsKey, undefined);
});

test("reads an existing model endpoint", async () => {
  const sagemaker = new SageMakerClient(clientOptions(cloud));
  const variant = { VariantName: "AllTraffic", ModelName: "found", InitialInstanceCount: 1 };
  await sagemaker.send(
    new CreateModelCommand({ ModelName: "found", ExecutionRoleArn: "arn:aws:iam::123456789012:role/models" }),
  );
  await sagemaker.send(
    new CreateEndpointConfigCommand({
      EndpointConfigName: "found",
      ProductionVariants: [{ ...variant, InstanceType: "ml.c5.large", InitialVariantWeight: 1 }],
    }),
  );
  await sagemaker.send(new CreateEndpointCommand({ EndpointName: "found", EndpointConfigName: "found" }));
  assert.equal(await clients.modelEndpoint("found"), {
    arn: "arn:aws:sagemaker:eu-west-1:123456789012:endpoint/found",
    status: "InService",
    variant: "AllTraffic",
  });
  assert.is(await clients.modelEndpoint("absent"), undefined);
});

test("reads the numbers of API keys during a rotation", async () => {
  const Name = "/relevance/discovered/search-gateway/api-keys";
  await new SSMClient(clientOptions(cloud)).send(new PutParameterCommand({ Name, Value: "1,2", Type: "String" }));
  assert.equal((await found()).apiKeys["search-gateway"], [1, 2]);
});

test.run();
