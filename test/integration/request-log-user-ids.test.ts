import { createHmac, randomBytes } from "node:crypto";
import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { createDeployedRoles, variablesOfRole } from "../../packages/local/dev/deployed-roles.ts";
import type { StandIn } from "../../packages/local-aws/cloud/stand-in.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { patient } from "../../packages/processes/wait.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { configuration } from "../fixtures/configurations/configurations.ts";
import { setAwsEndpoint, startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { serveStandIns } from "../fixtures/stand-in-server.ts";
import { awsError, passOn } from "../functions/recommendation-api/aws-front.ts";
import { suite } from "../suite.ts";

const test = suite("request log: user ids as HMAC");
const cloud = await sharedCloud();

/** How Secrets Manager answers. */
let secrets: "there" | "refusing" | "hanging" = "there";
let reads = 0;
const standIn: StandIn = {
  services: ["secretsmanager"],
  async handle(call) {
    reads += 1;
    if (secrets === "hanging") return new Promise(() => undefined);
    return secrets === "refusing" ? awsError(400, "AccessDeniedException") : passOn(cloud.endpoint, call);
  },
};
const front = await serveStandIns([standIn], cloud);
setAwsEndpoint(front.url, cloud);

const toStop: Array<{ stop(): Promise<void> }> = [front];
const key = randomBytes(32).toString("hex");
const project = unique("hmac").slice(0, 12);
const names = namesOf({ project, account: cloud.accountId, region: cloud.region });
const Name = names.userIdKeyParameter();
const hashed = (userId: string) => createHmac("sha256", key).update(userId).digest("hex");

test.before(async () => {
  await createDeployedRoles(cloud, configuration("all-options", [["project.yaml", ["project_name"], project]]));
  await new SecretsManagerClient(clientOptions(cloud)).send(new CreateSecretCommand({ Name, SecretString: key }));
});

test.before.each(() => {
  secrets = "there";
  reads = 0;
});

for (const cluster of await clusters()) {
  const index = uniqueIndex("users");

  /** Starts a new instance of the function, which has not read the key. */
  async function start(functionTimeoutMs = 28_000): Promise<TestGateway> {
    const logging = { user_id: "hmac", query_text: true, hmac_secret_name: Name } as const;
    const env = await variablesOfRole(cloud, names, "api-router");
    const gateway = await startGateway({ node: cluster.url, settings: { logging }, functionTimeoutMs, env });
    toStop.unshift(gateway);
    return gateway;
  }

  /** Returns the user id in the log line of one search, which must succeed. */
  async function loggedUser(gateway: TestGateway, user_id: string): Promise<unknown> {
    gateway.log.length = 0;
    const { status, text } = await gateway.post("/application/search", { index, search_request: {}, user_id });
    assert.is(status, 200, text);
    assert.is(gateway.log.length, 1);
    return JSON.parse(gateway.log[0] ?? "").user_id;
  }

  test.before(async () => {
    await request(cluster, "PUT", `/${index}/_doc/1?refresh=true`, { title: "salt road" });
  });

  test(`${cluster.version}: logs the HMAC with the stored key, which is read once and kept`, async () => {
    const gateway = await start();
    assert.is(await loggedUser(gateway, "u1"), hashed("u1"));
    secrets = "refusing";
    assert.is(await loggedUser(gateway, "u2"), hashed("u2"));
    assert.is(reads, 1);
  });

  test(`${cluster.version}: leaves the user out of log lines when the key cannot be read, which is tried again after some seconds`, async () => {
    const gateway = await start();
    secrets = "refusing";
    assert.is(await loggedUser(gateway, "u1"), null);
    const before = reads;
    secrets = "there";
    assert.is(await loggedUser(gateway, "u1"), null);
    assert.is(reads, before);
  });

  test(`${cluster.version}: a key that never arrives does not make the request time out`, async () => {
    const gateway = await start(patient(3_000));
    secrets = "hanging";
    assert.is(await loggedUser(gateway, "u1"), null);
    assert.is(reads, 1);
  });
}

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();
