import { APIGatewayClient, CreateRestApiCommand, CreateUsagePlanCommand } from "@aws-sdk/client-api-gateway";
import { CreateDatasetGroupCommand, PersonalizeClient } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { sdkQuotas } from "../../cli/discovery/sdk/quotas.ts";
import { sdkDiscoveryClients } from "../../cli/discovery/sdk/sdk-clients.ts";
import { sdkLifecycles } from "../../cli/plan/end-dates.ts";
import { INSTANCE_TYPES } from "../../lib/settings/model-image.ts";
import { ACCOUNT_ID, REGION } from "../../packages/local-aws/cloud/account.ts";
import { createPersonalize } from "../../packages/local-personalize/personalize.ts";
import { memoryObjects } from "../../packages/local-personalize/test/harness.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("quotas of the account");

const cloud = await ownCloud({
  quotas: {
    concurrency: 10,
    instances: { "ml.g5.xlarge": 0 },
    named: {
      "Throttle rate": 2_500,
      "Usage plans": 7,
      "Active filters per dataset group": 40,
      "Number of schemas": 400,
    },
  },
  standIns: [createPersonalize({ accountId: ACCOUNT_ID, region: REGION, objects: memoryObjects(new Map()) })],
});
const sdk = {
  region: cloud.region,
  endpoint: cloud.endpoint,
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
};
const reads = sdkQuotas(sdk);

test.after(() => cloud.stop());

test("reads the concurrency of functions", async () => {
  assert.is(await reads.concurrency(), 10);
});

test("reads the requests a second that API Gateway takes", async () => {
  assert.is(await reads.requestRate(), 2_500);
});

test("reads the instance quotas of endpoints, which exist for every type that model.yaml accepts", async () => {
  const instances = await reads.endpointInstances();
  assert.equal([instances.get("ml.g5.xlarge"), instances.get("ml.c6i.2xlarge")], [0, 4]);
  const unknown = [...INSTANCE_TYPES.gpu, ...INSTANCE_TYPES.cpu].filter((type) => !instances.has(type));
  assert.equal(unknown, []);
});

test("reads when models of Bedrock end, and knows none whose name no model has", async () => {
  const lifecycleOf = sdkLifecycles(sdk);
  assert.equal(await lifecycleOf("cohere.embed-english-v3"), { status: "ACTIVE", legacy: undefined, end: undefined });
  assert.equal(await lifecycleOf("amazon.titan-embed-legacy:0"), {
    status: "LEGACY",
    legacy: new Date("2026-09-01"),
    end: new Date("2027-03-01"),
  });
  assert.is(await lifecycleOf("my-imported-model"), undefined);
});

test("reads how many filters a dataset group may have", async () => {
  assert.is(await sdkDiscoveryClients(sdk).filterQuota(), 40);
});

test("reads the quotas of API Gateway and Personalize, and what exists there", async () => {
  const gateway = new APIGatewayClient(clientOptions(cloud));
  await gateway.send(new CreateRestApiCommand({ name: "shop" }));
  await gateway.send(new CreateUsagePlanCommand({ name: "plan" }));
  const personalize = new PersonalizeClient(clientOptions(cloud));
  await personalize.send(new CreateDatasetGroupCommand({ name: "books" }));
  assert.equal(await reads.usage(["apis", "usagePlans", "apiKeys", "datasetGroups", "schemas"]), {
    apis: { quota: 600, names: ["shop"] },
    usagePlans: { quota: 7, names: ["plan"] },
    apiKeys: { quota: 10_000, names: [] },
    datasetGroups: { quota: 5, names: ["books"] },
    schemas: { quota: 400, names: [] },
  });
});

test.run();
