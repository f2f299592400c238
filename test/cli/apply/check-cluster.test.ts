import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as assert from "uvu/assert";
import { checkCluster, refusalAdvice } from "../../../cli/apply/check-cluster.ts";
import { clusterRoles } from "../../../cli/apply/cluster-roles.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import { freePort } from "../../../packages/processes/ports.ts";
import { configuration } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";

const test = suite("checking the cluster through the API");

interface Reply {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** Checks against a server that sends these replies in turn and repeats the last. Returns the result and the calls. */
async function ask(replies: readonly Reply[], timeoutMs = 1_000) {
  const calls: { url: string | undefined; key: unknown }[] = [];
  const server = createServer((request, response) => {
    const {
      status,
      headers = {},
      body,
    } = replies[Math.min(calls.length, replies.length - 1)] ?? { status: 500, body: "" };
    calls.push({ url: request.url, key: request.headers["x-api-key"] });
    response.writeHead(status, headers);
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const result = await checkCluster({ url, key: "k", timeoutMs, intervalMs: 1 });
  server.closeAllConnections();
  server.close();
  return { result, calls };
}

const ours = { "x-request-id": "1" };
const works: Reply = { status: 200, headers: ours, body: { version: { number: "2.19.1" } } };
const newKey: Reply = {
  status: 403,
  body: { error: { code: "forbidden", message: "The API key is missing or wrong." } },
};

test("sends the key, and returns the cluster's version", async () => {
  const { result, calls } = await ask([works]);
  assert.equal(result, { kind: "works", version: "2.19.1" });
  assert.equal(calls, [{ url: "/v1/raw-backend", key: "k" }]);
});

test("retries while a new key or a new API has not reached every server", async () => {
  const { result, calls } = await ask([newKey, { status: 500, body: {} }, works]);
  assert.is(result.kind, "works");
  assert.is(calls.length, 3);
});

const NO_PERMISSIONS = { root_cause: [], type: "security_exception", reason: "no permissions for [cluster:monitor]" };
const failed = (status: number, message: string) => ({ kind: "failed", status, message });

/** What the API answers, what is reported, and how often it is asked if it may be asked again. */
const OUTCOMES: Readonly<Record<string, readonly [status: number, body: object, result: object, calls?: number]>> = {
  "a request that a configured rule refuses as answered by the gateway, not as a failure": [
    403,
    { error: { code: "forbidden", message: 'The rule "deny" refuses', cause: { rule: "deny" } } },
    { kind: "not-let-through", rule: "deny" },
    1,
  ],
  "a 401 from the cluster as a refusal": [401, { message: "no permissions" }, { kind: "refused", status: 401 }, 1],
  "a 403 from the cluster as a refusal": [403, { message: "no permissions" }, { kind: "refused", status: 403 }, 1],
  "the cluster's own error of fine-grained access control as a refusal": [
    403,
    { error: NO_PERMISSIONS, status: 403 },
    { kind: "refused", status: 403 },
    1,
  ],
  "a refusal by the gateway itself as a failure": [
    403,
    { error: { code: "forbidden", message: "GET / is not allowed here." } },
    failed(403, "GET / is not allowed here."),
  ],
  "an unreachable cluster as a failure with the gateway's message": [
    503,
    { error: { code: "upstream_unavailable", message: "The search cluster cannot be reached." } },
    failed(503, "The search cluster cannot be reached."),
  ],
};
for (const [what, [status, body, expected, once]] of Object.entries(OUTCOMES)) {
  test(`reports ${what}`, async () => {
    const { result, calls } = await ask([{ status, headers: ours, body }, works], once ? 1_000 : 0);
    assert.equal([result, calls.length], [expected, 1]);
  });
}

test("reports a key that stays wrong as a failure, not as a refusal by the cluster", async () => {
  const { result } = await ask([newKey], 0);
  assert.equal(result, failed(403, "The API key is missing or wrong."));
});

test("reports an API that does not answer as unreachable, with the reason", async () => {
  const result = await checkCluster({ url: `http://127.0.0.1:${await freePort()}`, key: "k", timeoutMs: 0 });
  assert.is(result.kind, "unreachable");
  assert.match(result.kind === "unreachable" ? result.reason : "", "ECONNREFUSED");
});

const ROLE = "arn:aws:iam::123456789012:role/shop-api-router-eu-west-1";

const SUGGESTIONS = "arn:aws:iam::123456789012:role/shop-suggestions-eu-west-1";

const NAMES = namesOf({ project: "shop", account: "123456789012", region: "eu-west-1" });
const ROLES = clusterRoles(configuration("all-options"), NAMES);

test("names every role that calls the cluster, with a role of the cluster for each", () => {
  const text = refusalAdvice({ type: "aws" }, ROLES);
  assert.match(text, `  ${ROLE}\n  ${SUGGESTIONS}\n`);
  for (const [name, arn] of [
    ["shop-api-router", ROLE],
    ["shop-suggestions", SUGGESTIONS],
  ]) {
    assert.match(text, `PUT _plugins/_security/api/rolesmapping/${name}\n{"backend_roles":["${arn}"]}`);
    assert.match(text, `PUT _plugins/_security/api/roles/${name}\n{"cluster_permissions":["cluster:`);
  }
  assert.not.match(text, "all_access");
});

test("names the setting to add if there is no auth", () => {
  assert.match(refusalAdvice(undefined, ROLES), "opensearch.auth in project.yaml is not set");
});

test("points to the secret, not to a role, with basic auth", () => {
  const text = refusalAdvice({ type: "basic", master_user_secret_arn: "arn:secret" }, ROLES);
  assert.match(text, "Check username and password in it");
  assert.not.match(text, ROLE);
});

test.run();
