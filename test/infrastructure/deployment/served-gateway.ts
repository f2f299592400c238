import {
  CreateUsagePlanKeyCommand,
  DeleteUsagePlanKeyCommand,
  GetUsagePlansCommand,
} from "@aws-sdk/client-api-gateway";
import * as assert from "uvu/assert";
import { readDeployedApi } from "../../../packages/local-aws/cloud/deployed-api.ts";
import type { Step, World } from "./world.ts";

/** Uses the API as deployed, and shows that it does not answer without its key. */
export function servedGateway(step: Step, { cloud, names, gateway, stateOf, failure }: World): void {
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
}
