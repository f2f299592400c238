import * as assert from "uvu/assert";
import { sdkQuotas } from "../../cli/discovery/sdk/quotas.ts";
import { INSTANCE_TYPES } from "../../lib/config/instance-types.ts";
import { ownCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("quotas of the account");

const cloud = await ownCloud({ quotas: { concurrency: 10, instances: { "ml.g5.xlarge": 0 } } });
const reads = sdkQuotas({
  region: cloud.region,
  endpoint: cloud.endpoint,
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
});

test.after(() => cloud.stop());

test("reads the concurrency of functions", async () => {
  assert.is(await reads.concurrency(), 10);
});

test("reads the instances of endpoints, which SageMaker offers for every type that model.yaml accepts", async () => {
  const instances = await reads.endpointInstances();
  assert.equal([instances.get("ml.g5.xlarge"), instances.get("ml.c6i.2xlarge")], [0, 4]);
  const unknown = [...INSTANCE_TYPES.gpu, ...INSTANCE_TYPES.cpu].filter((type) => !instances.has(type));
  assert.equal(unknown, []);
});

test.run();
