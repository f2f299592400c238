import {
  CreateSecretCommand,
  GetSecretValueCommand,
  ListSecretVersionIdsCommand,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import * as assert from "uvu/assert";
import { keyValues, storeKeys, storesKeys } from "../../cli/apply/stored-keys.ts";
import type { DeployedApi } from "../../cli/deployed-api.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { configuration } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";

const test = suite("keys in Secrets Manager");

const api = (service: DeployedApi["service"], ...keys: [key: string, value: string][]): DeployedApi => ({
  service,
  url: "https://one.example",
  executeUrl: "https://one.example",
  authorization: "api_key",
  keys: keys.map(([key, value]) => ({ key, name: `shop-${key}`, value })),
});
const apis = [
  api("search-gateway", ["default", "old"], ["default", "new"], ["page", "p"]),
  api("recommendation", ["default", "r"]),
];

test("names each key by its service, with the newest value while it is rotated", () => {
  assert.equal(keyValues(apis), {
    "search-gateway.default": "new",
    "search-gateway.page": "p",
    "recommendation.default": "r",
  });
});

test("stores keys only if the configuration says so, and callers have keys", () => {
  const stores = (...changes: Parameters<typeof configuration>[1] & object) =>
    storesKeys(configuration("minimal", [...changes]));
  assert.is(stores(), false);
  assert.is(stores(["api.yaml", ["keys_to"], "secretsmanager"]), true);
  assert.is(stores(["api.yaml", ["keys_to"], "secretsmanager"], ["api.yaml", ["authorization"], "iam"]), false);
});

test("writes the secret once, and again only when a key changes", async () => {
  const cloud = await sharedCloud();
  const sdk = clientOptions(cloud);
  const secrets = new SecretsManagerClient(sdk);
  const names = namesOf({ project: unique("k").slice(0, 15), account: cloud.accountId, region: cloud.region });
  // Terraform creates it without a value.
  await secrets.send(new CreateSecretCommand({ Name: names.apiKeysSecret() }));
  const SecretId = await storeKeys({ sdk, names }, apis);
  assert.is(SecretId, names.apiKeysSecret());
  const read = async () => (await secrets.send(new GetSecretValueCommand({ SecretId }))).SecretString ?? "";
  assert.equal(JSON.parse(await read()), keyValues(apis));
  const versions = async () =>
    (await secrets.send(new ListSecretVersionIdsCommand({ SecretId, IncludeDeprecated: true }))).Versions?.length ?? 0;
  const before = await versions();
  await storeKeys({ sdk, names }, apis);
  assert.is(await versions(), before);
  await storeKeys({ sdk, names }, [api("search-gateway", ["default", "newer"])]);
  assert.equal(JSON.parse(await read()), { "search-gateway.default": "newer" });
});

test.run();
