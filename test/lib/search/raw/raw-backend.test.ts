import * as assert from "uvu/assert";
import type { KeyRules } from "../../../../lib/platform/http/access.ts";
import type { BytesCall } from "../../../../lib/platform/http/body-handlers.ts";
import type { ProxyEvent } from "../../../../lib/platform/http/event.ts";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import type { GatewayServices } from "../../../../lib/search/gateway/services.ts";
import type { ClusterRequest } from "../../../../lib/search/opensearch/cluster.ts";
import { rawBackend } from "../../../../lib/search/raw/raw-backend.ts";
import { suite } from "../../../suite.ts";

const test = suite("the cluster's own API, by key");

const FULL: KeyRules = { name: "full", endpoints: ["raw-backend"], raw_backend: "all" };
const LIMITED: KeyRules = { name: "limited", endpoints: ["raw-backend"], raw_backend: ["recommended"] };
const BOUNDED: KeyRules = { name: "bounded", endpoints: ["raw-backend"], raw_backend: "all", indexes: ["shop*"] };
const ADMINISTRATOR: KeyRules = { name: "admin", endpoints: ["administration"], raw_backend: "all" };

/** Sends a call with a key to a cluster that returns every header. Returns what the cluster got, and the answer. */
async function called(
  caller: KeyRules,
  target: string,
  headers: Record<string, string> = {},
  raw_backend_deny: readonly string[] | "recommended" = [],
) {
  const [method = "", path = "", query = ""] = target.split(/[ ?]/);
  const got: ClusterRequest[] = [];
  const services = {
    settings: { raw_backend_deny, keys: [FULL, LIMITED, BOUNDED, ADMINISTRATOR] },
    catalog: { forget() {}, note() {}, knows: () => false },
    cluster: {
      async send(request: ClusterRequest) {
        got.push(request);
        return { status: 200, headers: { "x-secret": "s", ...request.headers }, body: Buffer.from("{}") };
      },
    },
  } as unknown as GatewayServices;
  const parameters = Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, [value]]));
  const event = {
    httpMethod: method,
    path: `/raw-backend${path}`,
    multiValueQueryStringParameters: parameters,
  } as unknown as ProxyEvent;
  const bytes = Buffer.from(path === "/_reindex" ? '{"source":{"index":"shop"},"dest":{"index":"shop-2"}}' : "");
  const sent = bytes.length > 0 ? { "content-type": "application/json", ...headers } : headers;
  const call = { caller, bytes, headers: sent, deadline: deadlineIn(5_000) } as unknown as BytesCall;
  const answer = await rawBackend(services)(event, call).catch((error: Error) => error.message);
  return { got, answer };
}

const reaches = async (key: KeyRules, target: string, deny?: readonly string[] | "recommended") =>
  (await called(key, target, {}, deny)).got.length === 1;

test("a key with every call reaches all of the cluster, any other its list, its indexes or administration", async () => {
  const targets = ["GET /shop/_count", "GET /other/_count", "GET /_nodes/stats"];
  const reached = (key: KeyRules) => Promise.all(targets.map((target) => reaches(key, target)));
  assert.equal(await reached(FULL), [true, true, true]);
  assert.equal(await reached(LIMITED), [true, true, false]);
  assert.equal(await reached(BOUNDED), [true, false, false]);
  // A rebuild counts documents by searches without the index's own pipeline.
  assert.equal(await reached(ADMINISTRATOR), [false, false, false]);
  assert.ok(await reaches(ADMINISTRATOR, "GET /shop/_mapping"));
});

test("a rule of raw_backend_deny stops what every key may call", async () => {
  assert.is(await reaches(FULL, "DELETE /shop", ["DELETE /*"]), false);
  assert.is(await reaches(FULL, "DELETE /shop", ["PUT /*"]), true);
});

for (const target of [
  "GET /_plugins/_security/api/internalusers",
  "PUT /_snapshot/mine",
  "GET /%5Fsnapshot",
  "POST /_nodes/reload_secure_settings",
  "POST /_plugins/_ml/connectors/_create",
  "POST /_plugins/_notifications/configs",
  "DELETE /_all",
  "DELETE /*",
  "DELETE /%2A",
  "DELETE /a,*",
  "POST //_close",
  "POST /_all/_delete_by_query",
  "GET /.opendistro_security/_search",
]) {
  test(`the recommended rules deny ${target}`, async () => {
    assert.is(await reaches(FULL, target, "recommended"), false);
  });
}

test("the recommended rules allow everyday calls", async () => {
  for (const target of ["PUT /shop", "GET /_cat/indices", "DELETE /shop", "POST /_reindex"])
    assert.is(await reaches(FULL, target, "recommended"), true, target);
});

test("dots and what is not percent-encoded UTF-8 are refused in a path, since a proxy may resolve them", async () => {
  for (const path of ["/a/%2e%2e/_search", "/./_search", "/%E0%A4%A"])
    assert.is(await reaches(FULL, `GET ${path}`), false, path);
});

test("a task that a limited key starts carries its name, and the caller sees only its own id", async () => {
  const start = "POST /_reindex?wait_for_completion=false";
  const ids = async (key: KeyRules, target: string, own?: string) => {
    const { got, answer } = await called(key, target, own === undefined ? {} : { "x-opaque-id": own });
    assert.not.type(answer, "string");
    return [got[0]?.headers?.["x-opaque-id"], Object(answer).headers["x-opaque-id"]];
  };
  assert.equal(await ids(LIMITED, start, "mine"), ["relevance-key=limited;mine", "mine"]);
  assert.equal(await ids(LIMITED, start), ["relevance-key=limited", undefined]);
  assert.equal(await ids(LIMITED, "POST /_reindex", "mine"), ["mine", "mine"]);
  assert.equal(await ids(LIMITED, "POST /_reindex"), [undefined, undefined]);
  assert.equal(await ids(FULL, start, "mine"), ["mine", "mine"]);
  assert.equal(await ids(FULL, start), [undefined, undefined]);
});

test.run();
