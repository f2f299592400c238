import {
  CreateUsagePlanKeyCommand,
  DeleteResourceCommand,
  DeleteUsagePlanKeyCommand,
  GetResourcesCommand,
  GetUsagePlansCommand,
} from "@aws-sdk/client-api-gateway";
import { AddPermissionCommand, RemovePermissionCommand } from "@aws-sdk/client-lambda";
import * as assert from "uvu/assert";
import { readDeployedApi } from "../../../packages/local-aws/cloud/deployed-api.ts";
import type { Step, World } from "./world.ts";

/** Uses the API as deployed, and shows that it does not answer without key and permission. */
export function servedGateway(step: Step, { cloud, names, gateway, lambda, stateOf, failure }: World): void {
  step("answers bulk, search and hybrid search as deployed", async () => {
    assert.is(await failure(), undefined);
    const { throttle } = await readDeployedApi(cloud, names.api("search-gateway"), "v1");
    assert.equal(throttle, { rateLimit: 50, burstLimit: 100, dailyQuota: 1_000_000 });
  });

  step("does not answer once its key is out of the usage plan", async () => {
    // Not by name, because the interrupted deployment may have left another key or plan that Terraform does not know.
    const { outputs } = await stateOf("search-gateway");
    const keyId = String(outputs.api_key_ids?.value);
    const usagePlanId = (await gateway.send(new GetUsagePlansCommand({ keyId }))).items?.[0]?.id;
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
}

/** Removes a route. The resulting deployment can only be destroyed. */
export function missingRoute(step: Step, { gateway, failure }: World): void {
  step("misses a route that was removed outside Terraform", async () => {
    const { items: apis = [] } = await gateway.send(new GetUsagePlansCommand({}));
    const restApiId = apis[0]?.apiStages?.[0]?.apiId;
    const { items: resources = [] } = await gateway.send(new GetResourcesCommand({ restApiId, limit: 500 }));
    const resourceId = resources.find(({ path }) => path === "/application/search")?.id;
    await gateway.send(new DeleteResourceCommand({ restApiId, resourceId }));
    assert.is(await failure(), "/application/search is missing");
  });
}
