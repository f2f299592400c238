// Commands leave a service's resources alone if it is still deployed, but missing from the configuration or from
// Terraform's state on this machine.
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { APIGatewayClient, CreateRestApiCommand, DeleteRestApiCommand } from "@aws-sdk/client-api-gateway";
import { CreateDatasetGroupCommand, PersonalizeClient } from "@aws-sdk/client-personalize";
import { CreateBucketCommand, HeadBucketCommand, S3Client } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { namesOf, type Service, type StackName } from "../../lib/platform/naming/names.ts";
import { ACCOUNT_ID, REGION } from "../../packages/local-aws/cloud/account.ts";
import { seedAccount } from "../../packages/local-aws/cloud/seed.ts";
import { createPersonalize } from "../../packages/local-personalize/personalize.ts";
import { memoryObjects } from "../../packages/local-personalize/test/harness.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { deployerOf } from "../fixtures/deployer.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { type TestProject, testProject } from "./project.ts";
import { recommendationProject } from "./recommendation-project.ts";

const test = suite("a service that is still deployed");

const delays = { pending: 0, working: 0, deploying: 0 };
const standIn = createPersonalize({ accountId: ACCOUNT_ID, region: REGION, delays, objects: memoryObjects(new Map()) });
const cloud = await ownCloud({ standIns: [standIn] });
const account = await seedAccount(cloud);
const folder = scratchFolder(TEST_OUTPUT, "still-deployed");
test.after(async () => {
  await cloud.stop();
  rmSync(folder, { recursive: true, force: true });
});

const namesIn = (project: string) => namesOf({ project, account: ACCOUNT_ID, region: REGION });

const gatewayAlone = (name: string) =>
  testProject({ folder: join(folder, name), cloud, account, configuration: "minimal", name });
const recommendationAlone = (name: string) =>
  recommendationProject({ folder: join(folder, name), cloud, account, name });

/** Writes a Terraform state of a stack with one resource, as a deployment from this machine does. */
function writeState({ folder, name }: TestProject, stack: StackName, attributes: object = {}): void {
  const file = join(folder, ".terraform-state", namesIn(name).stateFile(stack));
  mkdirSync(dirname(file), { recursive: true });
  const resource = {
    mode: "managed",
    type: "aws_lambda_invocation",
    name: "one",
    provider: 'provider["registry.terraform.io/hashicorp/aws"]',
    instances: [{ schema_version: 0, attributes }],
  };
  const state = { version: 4, terraform_version: "1.10.0", serial: 1, lineage: randomUUID(), resources: [resource] };
  writeFileSync(file, JSON.stringify(state));
}

/** Runs work while the API of a service exists. */
async function withApi<T>(project: string, service: Service, work: (id: string) => Promise<T>): Promise<T> {
  const gateway = new APIGatewayClient(clientOptions(cloud));
  const { id: restApiId = "" } = await gateway.send(new CreateRestApiCommand({ name: namesIn(project).api(service) }));
  try {
    return await work(restApiId);
  } finally {
    await gateway.send(new DeleteRestApiCommand({ restApiId }));
  }
}

test("plan refuses to leave out a recommendation service that is in Terraform's state", async () => {
  const project = await gatewayAlone("held");
  writeState(project, "filters");
  const { out, err, code } = await project.relevance("plan");
  assert.match(err, "The recommendation service is still deployed, and a deployment without it would break it:");
  assert.match(err, "restore the section personalize in project.yaml, or remove it first with `relevance uninstall ");
  assert.equal([out, code], ["", 1]);
});

test("plan refuses to leave out a search gateway whose API exists", async () => {
  const project = await recommendationAlone("served");
  const { err, code } = await withApi(project.name, "search-gateway", () => project.relevance("plan"));
  assert.match(err, "The search gateway is still deployed");
  assert.match(err, "restore the sections vpc and opensearch in project.yaml");
  assert.match(err, "`relevance destroy --destroy-infra false`");
  assert.is(code, 1);
});

test("uninstall refuses to run without the section, before it removes or asks anything", async () => {
  const project = await gatewayAlone("sectionless");
  writeState(project, "recommendation");
  writeState(project, "personalization", { input: '{"kind":"dataset_group"}' });
  const { out, err, code } = await project.relevance("uninstall", "--destroy-infra", "false");
  assert.match(err, "project.yaml no longer has the section personalize: restore it and its files");
  assert.equal([out, code], ["", 1]);
});

test("list shows what is in Personalize when the section is gone but the service is deployed", async () => {
  const project = await gatewayAlone("listed");
  const personalize = new PersonalizeClient(clientOptions(cloud));
  const name = namesIn(project.name).datasetGroup();
  // The deployer still has the policies for the section.
  const before = recommendation([["project.yaml", ["project_name"], project.name]]);
  await (await deployerOf(cloud, project.name)).permit(before);
  await personalize.send(new CreateDatasetGroupCommand({ name }));
  const listed = async () => JSON.parse((await project.relevance("list", "--json")).out).personalize;
  assert.equal(await listed(), []);
  writeState(project, "personalization");
  assert.equal(
    (await listed()).map((one: Record<string, string>) => [one.kind, one.name]),
    [["dataset group", name]],
  );
});

for (const command of [
  ["destroy", "--destroy-infra", "false", "--yes"],
  ["purge", "--yes"],
]) {
  test(`${command[0]} refuses a search gateway that is in no state on this machine, and removes nothing`, async () => {
    const project = await gatewayAlone(`checkout-${command[0]}`);
    const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });
    const Bucket = namesIn(project.name).bucket();
    await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint: REGION } }));
    await withApi(project.name, "search-gateway", async (id) => {
      const { err, code } = await project.relevance(...command);
      assert.match(err, `The search gateway is deployed (its API https://${id}.execute-api.eu-west-1.amazonaws.com/v1`);
      const place = `.terraform-state/${project.name}/123456789012-eu-west-1 on this machine`;
      assert.match(err, `it is missing from Terraform's state in ${place}. Run \`relevance destroy\` with its state`);
      assert.match(err, `aws apigateway delete-rest-api --region eu-west-1 --rest-api-id ${id}`);
      assert.is(code, 1);
    });
    await s3.send(new HeadBucketCommand({ Bucket }));
    // The service itself is gone, so the rest can be removed.
    const { err, code } = await project.relevance(...command);
    assert.is(code, 0, err);
  });
}

test("uninstall refuses a recommendation service that is in no state, also if only its dataset group exists", async () => {
  const project = await recommendationAlone("group");
  const uninstall = () => project.relevance("uninstall", "--destroy-infra", "false", "--yes");
  const served = await withApi(project.name, "recommendation", uninstall);
  assert.match(served.err, "The recommendation service is deployed (its API https://");
  const personalize = new PersonalizeClient(clientOptions(cloud));
  const name = namesIn(project.name).datasetGroup();
  const { datasetGroupArn } = await personalize.send(new CreateDatasetGroupCommand({ name }));
  const { err, code } = await uninstall();
  assert.match(err, `The recommendation service is deployed (its dataset group ${name} exists)`);
  assert.match(err, `delete-dataset-group --region eu-west-1 --dataset-group-arn ${datasetGroupArn}`);
  assert.is(code, 1);
});

test.run();
