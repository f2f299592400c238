// One deployment from the first apply to the purge: each test goes on where the one before has ended.
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  APIGatewayClient,
  CreateUsagePlanKeyCommand,
  DeleteResourceCommand,
  DeleteUsagePlanKeyCommand,
  GetApiKeysCommand,
  GetResourcesCommand,
  GetUsagePlansCommand,
} from "@aws-sdk/client-api-gateway";
import { AddPermissionCommand, LambdaClient, RemovePermissionCommand } from "@aws-sdk/client-lambda";
import {
  DeleteObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { GetParametersByPathCommand, SSMClient } from "@aws-sdk/client-ssm";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/naming/names.ts";
import { readDeployedApi } from "../../local/cloud/deployed-api.ts";
import { ACCOUNT_ID, REGION } from "../../local/cloud/front.ts";
import { seedAccount } from "../../local/cloud/seed.ts";
import { createModelStandIns } from "../../local/embeddings/stand-ins.ts";
import { scratchFolder } from "../../local/process/scratch.ts";
import { waitFor } from "../../local/process/wait.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { clusters } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";
import { terraform, testProject } from "./project.ts";
import { proveGateway } from "./prove-gateway.ts";
import { problemsOf, serveDeployedApi } from "./served-api.ts";

const test = suite("a deployment");
const step = terraform ? test : test.skip;

const names = namesOf({ project: "shop", account: ACCOUNT_ID, region: REGION });
const models = await createModelStandIns({
  modelOfEndpoint: (name) => (name === names.endpoint("sparse_v3") ? "sparse_v3" : undefined),
});
const cloud = await ownCloud({ standIns: [models] });
const account = await seedAccount(cloud);
const [cluster] = await clusters();
const folder = scratchFolder(TEST_OUTPUT, "deployment");
const mappings = (...fields: readonly [string, string][]) =>
  fields.map(([embedding_field, model_name]) => ({ embedding_field, model_name, src_fields: ["description"] }));
const SPARSE = ["description_sparse", "sparse_v3"] as const;
const DENSE = ["description_dense", "dense_large_en_v1_5"] as const;
const MAPPINGS = ["hybrid_search.yaml", ["hybrid_queries", 0, "embedding_mappings"]] as const;
const project = await testProject({
  folder,
  cloud,
  account,
  configuration: "all-options",
  name: "shop",
  changes: [
    [...MAPPINGS, mappings([...SPARSE])],
    // The function answers from a cluster of this machine.
    ["api.yaml", ["raw_backend"], undefined],
  ],
});
test.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await cloud.stop();
});

const gateway = new APIGatewayClient(clientOptions(cloud));
const lambda = new LambdaClient(clientOptions(cloud));
const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });

/** The resources that a plan changes, as "+ address". */
function changesIn(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => /^ {2}[+~±←.-] \S+$/.test(line))
    .map((line) => line.trim())
    .sort();
}

step("is interrupted by Ctrl-C: Terraform ends in good order, and says how to go on", async () => {
  const run = project.start("deploy", "--yes");
  const early = run.ended.then(({ err }): never => {
    throw new Error(`the deployment ended before it was interrupted:\n${err}`);
  });
  early.catch(() => {});
  const begun = () => run.output().split("Step 5 of 5: deploy API services\n")[1]?.includes(": created\n");
  await waitFor(async () => begun(), { what: "the last step's first resources", timeoutMs: 300_000, abort: early });
  run.kill("SIGINT");
  const { err, code } = await run.ended;
  assert.match(err, "Interrupted: Terraform finishes what it has begun and writes its state.");
  assert.match(err, "Interrupted. What was done is in Terraform's state: run the command again to go on.\n");
  assert.is(code, 1);
});

step("is finished by the next run, which prints URL and key", async () => {
  const { out, err, code } = await project.relevance("deploy", "--yes");
  assert.is(code, 0, err);
  const steps = [...err.matchAll(/^Step \d of \d: (.+)$/gm)].map(([, title]) => title);
  assert.equal(steps, [
    "synchronize configuration files  no changes",
    "initialize personalization resources  nothing of it is configured",
    "synchronize filters  nothing of it is configured",
    "deploy infrastructure  no changes",
    "deploy API services",
  ]);
  assert.match(out, new RegExp(`^search-gateway\n  URL      https://search\\.${account.domainName}\n`, "m"));
  assert.match(out, /^ {2}API key {2}\S{20,}$/m);
  assert.match(err, "The API could not be asked from this machine");
});

step("leaves no saved plan behind, and nothing readable for others", () => {
  const plans = join(folder, "dist/plans/shop");
  assert.not(existsSync(join(plans, "search-gateway.tfplan")));
  assert.is(statSync(plans).mode & 0o777, 0o700);
  assert.is(statSync(join(plans, "search-gateway.json")).mode & 0o777, 0o600);
  assert.is(statSync(join(plans, "discovery.json")).mode & 0o777, 0o600);
});

step("has the key of user ids, made by the tool and unknown to Terraform", async () => {
  const secrets = new SecretsManagerClient(clientOptions(cloud));
  const { SecretString = "" } = await secrets.send(new GetSecretValueCommand({ SecretId: names.userIdKeyParameter() }));
  assert.is(Buffer.from(SecretString, "base64").length, 32);
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: account.stateBucket }));
  assert.equal(
    Contents.map(({ Key }) => Key),
    ["foundation", "search-gateway", "storage"].map((stack) => `teams/search/${stack}.tfstate`),
  );
});

step("has written URL, version and time to the parameter store", async () => {
  const ssm = new SSMClient(clientOptions(cloud));
  const { Parameters = [] } = await ssm.send(
    new GetParametersByPathCommand({ Path: names.parameterPrefix(), Recursive: true }),
  );
  const values = Object.fromEntries(Parameters.map(({ Name = "", Value = "" }) => [Name.split("/").at(-1), Value]));
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  assert.is(values["api-url"], `https://search.${account.domainName}`);
  assert.is(values.version, version);
  assert.ok(Math.abs(Date.now() - Date.parse(values["deployed-at"] ?? "")) < 600_000);
});

step("plans nothing when nothing has changed: exit code 0", async () => {
  const { out, code } = await project.relevance("plan", "--detailed-exitcode");
  assert.equal(changesIn(out), []);
  assert.match(out, "\nNothing to change.\n");
  assert.is(code, 0);
});

/** Serves the API as it is deployed now and uses it; the reason when it does not work. */
async function failure(): Promise<string | undefined> {
  const served = await serveDeployedApi({ cloud, name: names.api("search-gateway"), cluster: cluster?.url ?? "" });
  try {
    const problems = problemsOf(served.api);
    if (problems.length > 0) return problems.join(", ");
    await proveGateway(served.url, served.api.keys[0] ?? "");
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    await served.stop();
  }
}

step("answers bulk, search and hybrid search as it was deployed", async () => {
  assert.is(await failure(), undefined);
  const { throttle } = await readDeployedApi(cloud, names.api("search-gateway"), "v1");
  assert.equal(throttle, { rateLimit: 50, burstLimit: 100, dailyQuota: 1_000_000 });
});

step("does not answer once its key is out of the usage plan", async () => {
  const { items: plans = [] } = await gateway.send(new GetUsagePlansCommand({}));
  const usagePlanId = plans.find(({ name }) => name === names.usagePlan("search-gateway"))?.id;
  const { items: keys = [] } = await gateway.send(new GetApiKeysCommand({ nameQuery: names.apiKey("search-gateway") }));
  const keyId = keys[0]?.id;
  await gateway.send(new DeleteUsagePlanKeyCommand({ usagePlanId, keyId }));
  assert.is(await failure(), "no key is valid");
  await gateway.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: "API_KEY" }));
  assert.is(await failure(), undefined);
});

step("does not answer without the permission to call its function", async () => {
  const call = { FunctionName: names.function("api-router"), Qualifier: "live", StatementId: "ApiGateway" };
  const [api = ""] =
    (await gateway.send(new GetUsagePlansCommand({}))).items?.[0]?.apiStages?.map(({ apiId }) => apiId ?? "") ?? [];
  await lambda.send(new RemovePermissionCommand(call));
  assert.match((await failure()) ?? "", "/application/bulk may not call");
  await lambda.send(
    new AddPermissionCommand({
      ...call,
      Action: "lambda:InvokeFunction",
      Principal: "apigateway.amazonaws.com",
      SourceArn: names.arn("execute-api", `${api}/v1/*`),
    }),
  );
  assert.is(await failure(), undefined);
});

step("says who holds the state of a stack, since when, and how to unlock it", async () => {
  const lock = {
    ID: "0b1c2d3e-0000-4000-8000-1a2b3c4d5e6f",
    Operation: "OperationTypeApply",
    Info: "",
    Who: "ci@build-7",
    Version: "1.11.4",
    Created: "2026-01-02T03:04:05.678Z",
    Path: `${account.stateBucket}/teams/search/foundation.tfstate`,
  };
  const object = { Bucket: account.stateBucket, Key: "teams/search/foundation.tfstate.tflock" };
  await s3.send(new PutObjectCommand({ ...object, Body: JSON.stringify(lock) }));
  const { err, code } = await project.relevance("plan");
  await s3.send(new DeleteObjectCommand(object));
  assert.match(
    err,
    /Stack foundation: its state is locked by ci@build-7 since 2026-01-02 03:04:05\.678 \+0000 UTC \(apply\)\. /,
  );
  assert.match(err, `force-unlock ${lock.ID}\``);
  assert.is(code, 1);
});

step("plans nothing for a comment", async () => {
  project.append("api.yaml", "# a comment\n");
  const { out, code } = await project.relevance("plan", "--detailed-exitcode");
  assert.equal(changesIn(out), []);
  assert.is(code, 0);
});

step("plans one change in a service for max_capacity, and the configuration file: exit code 3", async () => {
  project.edit(["api.yaml", ["provisioned_concurrency", "api_router", "max_capacity"], 8]);
  const { out, code } = await project.relevance("plan", "--detailed-exitcode");
  assert.equal(changesIn(out), [
    "~ aws_appautoscaling_target.api-router-scaling",
    "~ aws_s3_object.configuration-api-yaml",
  ]);
  assert.match(out, "      max_capacity: 5 → 8\n");
  assert.is(code, 3);
  project.edit(["api.yaml", ["provisioned_concurrency", "api_router", "max_capacity"], 5]);
});

step("plans one endpoint for a mapping with a new model", async () => {
  project.edit([...MAPPINGS, mappings([...SPARSE], [...DENSE])]);
  const { out } = await project.relevance("plan");
  const dense = changesIn(out).filter((line) => line.includes("dense_large_en_v1_5") || line.includes("dense-large"));
  assert.equal(dense, [
    "+ aws_appautoscaling_policy.dense_large_en_v1_5-scaling-policy",
    "+ aws_appautoscaling_target.dense_large_en_v1_5-scaling",
    "+ aws_cloudwatch_log_group.dense_large_en_v1_5-log",
    "+ aws_cloudwatch_metric_alarm.alarm-model-dense-large-en-v1-5-errors",
    "+ aws_cloudwatch_metric_alarm.alarm-model-dense-large-en-v1-5-latency",
    "+ aws_sagemaker_endpoint.dense_large_en_v1_5-endpoint",
    "+ aws_sagemaker_endpoint_configuration.dense_large_en_v1_5-configuration",
    "+ aws_sagemaker_model.dense_large_en_v1_5-model",
  ]);
  const others = changesIn(out).filter((line) => !dense.includes(line));
  assert.equal(others, [
    "~ aws_cloudwatch_dashboard.dashboard",
    "~ aws_iam_role_policy.api-router-policy",
    "~ aws_iam_role_policy.sagemaker-policy",
    "~ aws_lambda_alias.api-router-live",
    "~ aws_lambda_function.api-router",
    "~ aws_s3_object.configuration-hybrid_search-yaml",
  ]);
  project.edit([...MAPPINGS, mappings([...SPARSE])]);
});

step("shows a changed configuration as docs/guides/plan.md does", async () => {
  project.edit(
    ["api.yaml", ["domain_name_system"], null],
    ["api.yaml", ["throttle", "rate_limit"], 80],
    ["model.yaml", ["sparse_v3", "instance_type"], "ml.c6i.4xlarge"],
    ["model.yaml", ["sparse_v3", "revision"], undefined],
  );
  const { out, code } = await project.relevance("plan");
  assert.is(code, 0);
  const guide = readFileSync("docs/guides/plan.md", "utf8");
  const [, shown = ""] = /```text\n([\s\S]*?)```/.exec(guide) ?? [];
  assert.is(shown, out.trimStart());
});

step("gets a second API key, and then loses the first", async () => {
  const added = await project.relevance("rotate-key", "--service", "search-gateway", "--yes");
  assert.is(added.code, 0, added.err);
  const both = JSON.parse((await project.relevance("info", "--json")).out)["search-gateway"].api_keys as string[];
  assert.is(both.length, 2);
  const finished = await project.relevance("rotate-key", "--service", "search-gateway", "--finish", "--yes");
  assert.is(finished.code, 0, finished.err);
  assert.match(finished.out, "aws_api_gateway_api_key.api-key-1 is deleted: callers need the new API key");
  assert.equal(JSON.parse((await project.relevance("info", "--json")).out)["search-gateway"].api_keys, [both[1]]);
});

step("lists what Terraform manages, with ARNs", async () => {
  const { out, err, code } = await project.relevance("list", "--json");
  assert.is(code, 0, err);
  const { terraform: found, personalize } = JSON.parse(out) as Record<string, { address: string; arn?: string }[]>;
  const arnOf = (address: string) => found?.find((one) => one.address === address)?.arn;
  assert.is(arnOf("aws_lambda_function.api-router"), names.arn("lambda", `function:${names.function("api-router")}`));
  assert.is(arnOf("aws_s3_bucket.bucket"), names.bucketArn());
  assert.equal(personalize, []);
});

async function s3state(stack: string): Promise<unknown> {
  const { GetObjectCommand } = await import("@aws-sdk/client-s3");
  const { Body } = await s3.send(
    new GetObjectCommand({ Bucket: account.stateBucket, Key: `teams/search/${stack}.tfstate` }),
  );
  return JSON.parse((await Body?.transformToString()) ?? "");
}

step("without a terminal nothing is removed without --yes: exit code 2", async () => {
  const { err, code } = await project.relevance("destroy", "--destroy-infra", "false");
  assert.match(err, "There is no terminal to ask on: give --yes to go on without a question");
  assert.is(code, 2);
  assert.is(await failure(), undefined);
});

step("misses a route that was removed behind its back", async () => {
  const { items: apis = [] } = await gateway.send(new GetUsagePlansCommand({}));
  const restApiId = apis[0]?.apiStages?.[0]?.apiId;
  const { items: resources = [] } = await gateway.send(new GetResourcesCommand({ restApiId, limit: 500 }));
  const resourceId = resources.find(({ path }) => path === "/application/search")?.id;
  await gateway.send(new DeleteResourceCommand({ restApiId, resourceId }));
  assert.is(await failure(), "/application/search is missing");
});

const left = async (stack: string) => ((await s3state(stack)) as { resources: unknown[] }).resources.length;

step("destroy --destroy-infra false leaves what services share, the bucket and the parameters", async () => {
  const { err, code } = await project.relevance("destroy", "--destroy-infra", "false", "--yes");
  assert.is(code, 0, err);
  assert.is(await left("search-gateway"), 0);
  assert.ok((await left("foundation")) > 0);
  await s3.send(new HeadBucketCommand({ Bucket: names.bucket() }));
});

step("destroy --destroy-infra true removes what services share, and leaves API Gateway's log role", async () => {
  const { out, err, code } = await project.relevance("destroy", "--destroy-infra", "true", "--yes");
  assert.is(code, 0, err);
  assert.equal(
    changesIn(out).filter((line) => line.startsWith(".")),
    [
      ". aws_api_gateway_account.api-gateway-account",
      ". aws_iam_role.api-gateway-logs",
      ". aws_iam_role_policy_attachment.api-gateway-logs-policy",
    ],
  );
  assert.is(await left("foundation"), 0);
  await s3.send(new HeadBucketCommand({ Bucket: names.bucket() }));
  const ssm = new SSMClient(clientOptions(cloud));
  const { Parameters = [] } = await ssm.send(
    new GetParametersByPathCommand({ Path: names.parameterPrefix(), Recursive: true }),
  );
  assert.equal(Parameters.map(({ Name }) => Name?.split("/").at(-1)).sort(), [
    "api-keys",
    "api-url",
    "deployed-at",
    "version",
  ]);
});

step("purge removes the rest, and a second one finds nothing", async () => {
  const first = await project.relevance("purge", "--yes");
  assert.is(first.code, 0, first.err);
  const gone = await s3.send(new HeadBucketCommand({ Bucket: names.bucket() })).catch((error: Error) => error.name);
  assert.is(gone, "NotFound");
  assert.is(await left("storage"), 0);
  const second = await project.relevance("purge", "--yes");
  assert.is(second.code, 0, second.err);
  assert.match(second.err, "0 parameters");
});

test.run();
