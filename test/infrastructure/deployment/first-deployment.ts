import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { CreateRestApiCommand, DeleteRestApiCommand, GetRestApisCommand } from "@aws-sdk/client-api-gateway";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as assert from "uvu/assert";
import { PROJECT_TAG } from "../../../lib/platform/naming/tags.ts";
import { waitFor } from "../../../packages/processes/wait.ts";
import { clientOptions } from "../../fixtures/cloud.ts";
import { changesIn, type Step, type World } from "./world.ts";

/** Deploys with one interruption, and checks the result. */
export function firstDeployment(
  step: Step,
  { project, account, folder, names, cloud, gateway, s3, parameters, lose }: World,
): void {
  let stranger: string | undefined;
  step("begins where an interrupted deployment left an API that Terraform did not see", async () => {
    const name = names.api("search-gateway");
    await gateway.send(new CreateRestApiCommand({ name, tags: { [PROJECT_TAG]: "shop" } }));
    // Somebody else's of the same name.
    stranger = (await gateway.send(new CreateRestApiCommand({ name, tags: { [PROJECT_TAG]: "another" } }))).id;
  });

  step("ends in good order when interrupted by Ctrl-C, and says what to do", async () => {
    const run = project.start("deploy", "--yes");
    const early = run.ended.then(({ err }): never => {
      throw new Error(`the deployment ended before it was interrupted:\n${err}`);
    });
    early.catch(() => {});
    const begun = () => run.output().split("Step 5 of 5: deploy API services\n")[1]?.includes(": created\n");
    await waitFor(async () => begun(), { what: "the last step's first resources", timeoutMs: 300_000, abort: early });
    run.kill("SIGINT");
    const { err, code } = await run.ended;
    assert.match(err, "  api.yaml: written\n  hybrid_search.yaml: written\n");
    assert.match(err, "Interrupted: waiting for Terraform to finish its running calls and write its state.");
    assert.match(err, "Interrupted. Completed changes are in Terraform's state: run the command again to resume.\n");
    assert.is(code, 1);
  });

  step("is finished by the next run, which prints URL and key", async () => {
    const { out, err, code } = await project.relevance("deploy", "--yes");
    assert.is(code, 0, err);
    const steps = [...err.matchAll(/^Step \d of \d: (.+)$/gm)].map(([, title]) => title);
    // A second round imports what was being created at that moment.
    assert.equal(steps.slice(-5), [
      "synchronize configuration files  no changes",
      "initialize personalization resources  not configured",
      "synchronize filters  not configured",
      "deploy infrastructure  no changes",
      "deploy API services",
    ]);
    assert.match(out, new RegExp(`^search-gateway\n  URL      https://search\\.${account.domainName}\n`, "m"));
    assert.match(out, /^ {2}API key {2}\S{20,} {2}default \(/m);
    assert.match(err, "This machine cannot reach the API");
    for (const model of ["sparse_v3", "ext_embed_english_v3", "ext_embed_multilingual_v3"]) {
      assert.match(err, `  model ${model}: works\n`);
    }
    assert.match(err, /campaign arn:\S+shop-personalized-ranking: works\n/);
    assert.not.match(err, ": written\n");
    assert.match(err, /an API without routes that an interrupted deployment left is removed: \S+\n/);
    const { items: apis = [] } = await gateway.send(new GetRestApisCommand({}));
    assert.is(apis.length, 2);
    await gateway.send(new DeleteRestApiCommand({ restApiId: stranger }));
  });

  step("leaves no saved plan, and no files that other users can read", () => {
    const plans = join(folder, "dist/plans/shop.eu-west-1");
    assert.not(existsSync(join(plans, "search-gateway.tfplan")));
    assert.is(statSync(plans).mode & 0o777, 0o700);
    assert.is(statSync(join(plans, "search-gateway.json")).mode & 0o777, 0o600);
    assert.is(statSync(join(plans, "discovery.json")).mode & 0o777, 0o600);
  });

  step("has the key for user ids, created by the tool and unknown to Terraform", async () => {
    const secrets = new SecretsManagerClient(clientOptions(cloud));
    const { SecretString = "" } = await secrets.send(
      new GetSecretValueCommand({ SecretId: names.userIdKeyParameter() }),
    );
    assert.is(Buffer.from(SecretString, "base64").length, 32);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: account.stateBucket }));
    assert.equal(
      Contents.map(({ Key }) => Key),
      (["foundation", "search-gateway", "storage"] as const).map((stack) => names.stateKey(stack, "teams/search")),
    );
  });

  step("has written URL, version and time to the parameter store", async () => {
    const values = await parameters();
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    assert.is(values["api-url"], `https://search.${account.domainName}`);
    assert.is(values.version, version);
    assert.ok(Math.abs(Date.now() - Date.parse(values["deployed-at"] ?? "")) < 600_000);
  });

  step("imports what interrupted deployments left, also where AWS assigned the id", async () => {
    await lose("storage", "aws_secretsmanager_secret");
    await lose(
      "search-gateway",
      "aws_security_group",
      "aws_vpc_security_group_egress_rule",
      "aws_vpc_security_group_ingress_rule",
      "aws_api_gateway_base_path_mapping",
    );
    const { err, code } = await project.relevance("deploy", "--yes");
    assert.is(code, 0, err);
    const taken = [...err.matchAll(/^ {2}(aws_\S+)$/gm)].map(([, address]) => address);
    assert.equal(taken.sort(), [
      "aws_api_gateway_base_path_mapping.base-path",
      "aws_secretsmanager_secret.user-id-key",
      "aws_security_group.functions-group",
      "aws_vpc_security_group_egress_rule.functions-egress-1",
      "aws_vpc_security_group_egress_rule.functions-egress-s3",
      "aws_vpc_security_group_ingress_rule.domain-ingress",
    ]);
  });

  step("plans nothing when nothing has changed: exit code 0", async () => {
    const { out, code } = await project.relevance("plan", "--detailed-exitcode");
    assert.equal(changesIn(out), []);
    assert.match(out, "\nNothing to change.\n");
    assert.is(code, 0);
  });
}
