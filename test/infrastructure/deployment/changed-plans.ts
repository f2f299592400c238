import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DeleteObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { planStacks } from "../../../cli/plan/planned.ts";
import { findTerraform } from "../../../cli/terraform/binary.ts";
import { routes } from "../../../functions/api-router/routes.ts";
import { parseDiscovery } from "../../../lib/infrastructure/discovery.ts";
import { loadConfiguration } from "../../../lib/settings/load.ts";
import { readArtifacts } from "../../../stacks/artifacts.ts";
import { synthesize } from "../../../stacks/synthesize.ts";
import { TEST_OUTPUT } from "../../fixtures/env.ts";
import { servedProvider } from "../../fixtures/served-provider.ts";
import { servedFolder, terraform } from "../project.ts";
import { changesIn, DENSE, MAPPINGS, mappings, SPARSE, type Step, type World } from "./world.ts";

/** Plans changes of a deployed configuration, each of which plans exactly what it should. */
export function changedPlans(step: Step, { project, account, cloud, folder, s3 }: World): void {
  step("says who holds the state of a stack, since when, and how to unlock it", async () => {
    const lock = {
      ID: "0b1c2d3e-0000-4000-8000-1a2b3c4d5e6f",
      Operation: "OperationTypeApply",
      Info: "",
      Who: "ci@build-7",
      Version: "1.11.4",
      Created: "2026-01-02T03:04:05.678Z",
      Path: `${account.stateBucket}/teams/search/123456789012-eu-west-1/foundation.tfstate`,
    };
    const object = {
      Bucket: account.stateBucket,
      Key: "teams/search/123456789012-eu-west-1/foundation.tfstate.tflock",
    };
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
    assert.not.match(out, "Configuration files");
    assert.is(code, 0);
  });

  // Right after a plan whose bundles are the deployed ones.
  step("plans one new deployment of the API for a changed schema of a route", async () => {
    const served = await servedProvider(cloud, servedFolder(folder));
    const env = { ...process.env, ...cloud.env, ...served, TF_PROVIDER_MIRROR: terraform?.mirror };
    const runner = { terraform: await findTerraform(env), env, cacheFolder: join(folder, "providers"), note: () => {} };
    const search = routes[1];
    const request = search.request;
    Object.assign(search, { request: v.object({ index: v.number() }) });
    try {
      const stacks = synthesize({
        config: loadConfiguration(join(folder, "conf")),
        discovery: parseDiscovery(readFileSync(join(folder, "dist/plans/shop.eu-west-1/discovery.json"), "utf8")),
        artifacts: readArtifacts(join(folder, "dist/functions/shop.eu-west-1")),
        outdir: join(folder, "dist/terraform/shop.eu-west-1"),
        maxRetries: 2,
        stacks: ["search-gateway"],
      });
      const { summary } = await planStacks(runner, stacks, { folder: join(folder, "dist/plans/schema") });
      assert.equal(
        summary.stacks.flatMap(({ changes }) => changes.map(({ action, address }) => `${action} ${address}`)),
        ["replace aws_api_gateway_deployment.api-deployment", "update aws_api_gateway_stage.api-stage"],
      );
    } finally {
      Object.assign(search, { request });
    }
  });

  step("plans one endpoint for a mapping with a new model: exit code 3", async () => {
    project.edit([...MAPPINGS, mappings(SPARSE, DENSE)]);
    const { out, code } = await project.relevance("plan", "--detailed-exitcode");
    assert.is(code, 3);
    assert.match(out, "\n  Configuration files in the bucket: hybrid_search.yaml will be written\n");
    project.edit([...MAPPINGS, mappings(SPARSE)]);
    const dense = changesIn(out).filter((line) => line.includes("dense_large_en_v1_5") || line.includes("dense-large"));
    assert.equal(dense, [
      "+ aws_appautoscaling_policy.dense_large_en_v1_5-bc0882c1-scaling-policy",
      "+ aws_appautoscaling_target.dense_large_en_v1_5-bc0882c1-scaling",
      "+ aws_cloudwatch_log_group.dense_large_en_v1_5-bc0882c1-log",
      "+ aws_cloudwatch_metric_alarm.alarm-model-dense-large-en-v1-5-errors",
      "+ aws_cloudwatch_metric_alarm.alarm-model-dense-large-en-v1-5-latency",
      "+ aws_sagemaker_endpoint.dense_large_en_v1_5-bc0882c1-endpoint",
      "+ aws_sagemaker_endpoint_configuration.dense_large_en_v1_5-bc0882c1-configuration",
      "+ aws_sagemaker_model.dense_large_en_v1_5-bc0882c1-model",
    ]);
    const others = changesIn(out).filter((line) => !dense.includes(line));
    assert.equal(others, [
      "~ aws_cloudwatch_dashboard.dashboard",
      "~ aws_iam_role_policy.api-router-policy",
      "~ aws_iam_role_policy.sagemaker-policy",
      "~ aws_lambda_alias.api-router-live",
      "~ aws_lambda_function.api-router",
    ]);
  });

  step("shows a changed configuration as docs/guides/plan.md does", async () => {
    project.edit(
      ["api.yaml", ["domain_name_system"], null],
      ["api.yaml", ["throttle", "rate_limit"], 80],
      ["model.yaml", ["sparse_v3", "instance_type"], "ml.c6i.4xlarge"],
    );
    const { out, code } = await project.relevance("plan");
    assert.is(code, 0);
    const guide = readFileSync("docs/guides/plan.md", "utf8");
    const [, shown = ""] = /```text\n([\s\S]*?)```/.exec(guide) ?? [];
    // The hash of a function changes with its code. Copy this file into the guide after an intended change of the plan.
    const printed = out.trimStart().replace(/(source_code_hash: )"[^"]+" → "[^"]+"/, '$1"…" → "…"');
    writeFileSync(join(TEST_OUTPUT, "plan-guide.txt"), printed);
    assert.is(shown, printed);
  });
}
