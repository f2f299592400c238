import { HeadBucketCommand } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import type { StackName } from "../../../lib/platform/naming/names.ts";
import { changesIn, type Step, type World } from "./world.ts";

/** Rotates the key, and lists the resources. */
export function keyAndList(step: Step, { project, names, stateOf }: World): void {
  step("gets a second API key, and then loses the first", async () => {
    const added = await project.relevance("rotate-key", "--service", "search-gateway", "--yes");
    assert.is(added.code, 0, added.err);
    const values = async (): Promise<string[]> => {
      const { out } = await project.relevance("info", "--json", "--show");
      return JSON.parse(out)["search-gateway"].keys.map(({ value }: { value: string }) => value);
    };
    const both = await values();
    assert.is(both.length, 2);
    const finished = await project.relevance("rotate-key", "--service", "search-gateway", "--finish", "--yes");
    assert.is(finished.code, 0, finished.err);
    assert.match(finished.out, "aws_api_gateway_api_key.api-key-1 is deleted: callers need the new API key");
    assert.equal(await values(), [both[1]]);
    const { outputs } = await stateOf("foundation");
    const info = JSON.parse((await project.relevance("info", "--json")).out)["search-gateway"];
    const topic = outputs.alarms_topic_arn?.value;
    assert.equal(info.alarm_topics, { critical: topic, warning: topic });
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
}

/** Removes the deployment in three steps. */
export function removal(step: Step, { project, names, s3, stateOf, parameters }: World): void {
  const left = async (stack: StackName) => (await stateOf(stack)).resources.length;

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
    assert.equal(Object.keys(await parameters()).sort(), [
      "api-keys",
      "api-url",
      "deployed-at",
      "deployments",
      "version",
    ]);
  });

  step("purge removes the rest, and a second one finds nothing", async () => {
    const first = await project.relevance("purge", "--yes");
    assert.is(first.code, 0, first.err);
    assert.not.match(first.err, "these keys is missing");
    const gone = await s3.send(new HeadBucketCommand({ Bucket: names.bucket() })).catch((error: Error) => error.name);
    assert.is(gone, "NotFound");
    assert.is(await left("storage"), 0);
    const second = await project.relevance("purge", "--yes");
    assert.is(second.code, 0, second.err);
    assert.match(second.err, "0 parameters");
  });
}
