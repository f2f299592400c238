import { createHmac, randomBytes } from "node:crypto";
import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { createDeployedRoles, variablesOfRole } from "../../packages/local/dev/deployed-roles.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { configuration } from "../fixtures/configurations/configurations.ts";
import { setAwsEndpoint, startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("request log: user ids as HMAC");
const cloud = await sharedCloud();

setAwsEndpoint(cloud.endpoint, cloud);
const [cluster] = await clusters();
assert.ok(cluster);
const key = randomBytes(32).toString("hex");
const project = unique("hmac").slice(0, 12);
const names = namesOf({ project, account: cloud.accountId, region: cloud.region });
const Name = names.userIdKeyParameter();
const index = uniqueIndex("users");
let gateway: TestGateway;

test.before(async () => {
  await createDeployedRoles(cloud, configuration("all-options", [["project.yaml", ["project_name"], project]]));
  await new SecretsManagerClient(clientOptions(cloud)).send(new CreateSecretCommand({ Name, SecretString: key }));
  await request(cluster, "PUT", `/${index}/_doc/1?refresh=true`, { title: "salt road" });
  const logging = { user_id: "hmac", query_text: true, hmac_secret_name: Name } as const;
  const env = await variablesOfRole(cloud, names, "api-router");
  gateway = await startGateway({ node: cluster.url, settings: { logging }, env });
});
test.after(() => gateway?.stop());

test("logs the HMAC with the stored key, which the gateway's role may read", async () => {
  const { status, text } = await gateway.post("/application/search", { index, search_request: {}, user_id: "u1" });
  assert.is(status, 200, text);
  const hashed = createHmac("sha256", key).update("u1").digest("hex");
  assert.equal(
    gateway.log.map((line) => JSON.parse(line).user_id),
    [hashed],
  );
});

test.run();
