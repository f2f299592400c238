import { GetRoleCommand, IAMClient, UpdateRoleDescriptionCommand } from "@aws-sdk/client-iam";
import * as assert from "uvu/assert";
import { rootOptions } from "../../../packages/local-aws/cloud/account.ts";
import { clientOptions } from "../../fixtures/cloud.ts";
import type { Step, World } from "./world.ts";

/** Changes what a deployment then has to change back or to take away. */
export function changedSettings(step: Step, { project, cloud, names }: World): void {
  const iam = new IAMClient(clientOptions(cloud));
  const role = { RoleName: names.functionRole("api-router") };
  const { accessKeyId } = rootOptions(cloud).credentials;
  /** Calls a service whose client is not installed. The local cloud does not check signatures. */
  const call = async (service: string, target: string, body: object) => {
    const credential = `${accessKeyId}/20260101/${cloud.region}/${service}/aws4_request`;
    const headers = {
      authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`,
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": target,
    };
    const answer = await fetch(cloud.endpoint, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    assert.is(answer.status, 200, text);
    return text === "" ? {} : JSON.parse(text);
  };

  step("removes a tag, changes settings, and puts descriptions back that somebody changed", async () => {
    const aliases: { AliasName: string; TargetKeyId?: string }[] = (await call("kms", "TrentService.ListAliases", {}))
      .Aliases;
    const keys = aliases.filter(({ AliasName }) => AliasName.includes(project.name));
    assert.ok(keys.length > 0);
    const Description = "changed";
    for (const { TargetKeyId: KeyId } of keys)
      await call("kms", "TrentService.UpdateKeyDescription", { KeyId, Description });
    await iam.send(new UpdateRoleDescriptionCommand({ ...role, Description }));
    const Name = names.glueDatabase();
    await call("glue", "AWSGlue.UpdateDatabase", { Name, DatabaseInput: { Name, Description } });
    project.edit(
      ["project.yaml", ["aws", "tags"], { "cost-center": "4711" }],
      ["project.yaml", ["aws", "log_retention_days"], 14],
      ["api.yaml", ["logging", "retention_days"], 30],
      ["api.yaml", ["reserved_concurrency", "api_router"], 90],
    );
    await project.succeeds("deploy", "--yes");
    const { Role } = await iam.send(new GetRoleCommand(role));
    assert.is(
      Role?.Tags?.find(({ Key }) => Key === "team"),
      undefined,
    );
    assert.is.not(Role?.Description, Description);
    const { out } = await project.relevance("plan", "--detailed-exitcode");
    assert.match(out, "\nNothing to change.\n");
  });
}
