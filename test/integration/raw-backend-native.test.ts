import { Client } from "@opensearch-project/opensearch";
import * as assert from "uvu/assert";
import { type FaultProxy, startFaultProxy } from "../fixtures/fault-proxy.ts";
import { API_KEY, startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { runPython } from "../fixtures/opensearch-py.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("raw backend: as the cluster does");

/** Answer headers that the gateway must return. */
const HEADERS = ["content-type", "location", "allow", "x-opaque-id", "warning"];

/** Encodes a body to which `fetch` adds no content type, as it does to a string. */
const bytes = (text: string) => new TextEncoder().encode(text);

for (const cluster of await clusters()) {
  const { version } = cluster;
  const index = uniqueIndex("native");
  const gone = uniqueIndex("gone");
  let gateway: TestGateway;
  let proxy: FaultProxy;

  test.before(async () => {
    proxy = await startFaultProxy(cluster.url);
    gateway = await startGateway({ node: cluster.url });
    // A refresh between the two calls would make their answers differ.
    await request(cluster, "PUT", `/${index}`, { settings: { number_of_replicas: 0, refresh_interval: "-1" } });
    await request(cluster, "PUT", `/${index}/_doc/0?refresh=true`, { n: 0 });
  });

  const json = { "content-type": "application/json" };
  const CALLS: Record<string, [method: string, path: string, init?: RequestInit]> = {
    "the location of a new document": ["PUT", `/${index}/_doc/NEW`, { body: "{}", headers: json }],
    "an id with a backslash": ["PUT", `/${index}/_doc/a%5CNEW`, { body: "{}", headers: json }],
    "an id with a control character": ["PUT", `/${index}/_doc/a%00%0ANEW`, { body: "{}", headers: json }],
    "an x-opaque-id": ["GET", `/${index}/_doc/0`, { headers: { "x-opaque-id": "shop-7" } }],
    "a method that a path does not have": ["PATCH", `/${index}`, { body: "{}", headers: json }],
    "an empty path segment before an endpoint": ["GET", `//_alias/${gone}`],
    "an empty path segment after an index": ["GET", `/${index}//_search`],
    "slashes at the end": ["GET", `/${index}/_count//`],
    "a semicolon between parameters": ["GET", `/${index}/_search?size=0;track_total_hits=false`],
    "a semicolon after a flag": ["GET", `/${index}/_search?pretty;size=0`],
    "a semicolon in a query": ["GET", `/${index}/_search?q=n%3A0%3Bb%3D2`],
    "_bulk without a content type": ["POST", "/_bulk", { body: bytes(`{"delete":{"_index":"${gone}","_id":"1"}}\n`) }],
    "a search without a content type": ["POST", `/${index}/_search`, { body: bytes("{}") }],
    "a content type that is not known": [
      "POST",
      `/${index}/_search`,
      { body: "{}", headers: { "content-type": "a/b" } },
    ],
  };
  for (const [what, [method, path, init = {}]] of Object.entries(CALLS)) {
    test(`${version}: ${what}`, async () => {
      // Each of the two calls uses a new id of the same length.
      const ask = async (url: string, id: string, headers = {}) => {
        const answer = await fetch(`${url}${path.replace("NEW", id)}`, {
          ...init,
          method,
          headers: { ...(init.headers as Record<string, string>), ...headers },
        });
        const text = (await answer.text()).replaceAll(id, "NEW").replaceAll(/"(took|_seq_no)" ?: ?\d+/g, '"$1":0');
        const named = HEADERS.map((name) => answer.headers.get(name)?.replaceAll(id, "NEW"));
        return { status: answer.status, named, text };
      };
      const direct = await ask(cluster.url, "direct1");
      const through = await ask(`${gateway.url}/raw-backend`, "through", { "x-api-key": API_KEY });
      assert.equal(through, direct);
    });
  }

  test(`${version}: HEAD returns the length that the answer to GET would have`, async () => {
    const direct = await fetch(`${cluster.url}/${index}/_doc/0`, { method: "HEAD" });
    const through = await gateway.send("HEAD", `/raw-backend/${index}/_doc/0`);
    assert.ok(Number(direct.headers.get("content-length")) > 0);
    assert.is(through.headers.get("content-length"), direct.headers.get("content-length"));
  });

  for (const [who, key, reason] of [
    ["the gateway", API_KEY, /headers\.x-opaque-id has 2000 bytes, at most 1024 are forwarded/],
    ["API Gateway", "wrong", /The API key is missing or wrong/],
  ] as const) {
    const long = "a".repeat(2_000);

    test(`${version}: opensearch-js shows the type and the reason of an error of ${who}`, async () => {
      const client = new Client({ node: `${gateway.url}/raw-backend`, headers: { "x-api-key": key } });
      const error = await client.info({}, { opaqueId: long }).then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      await client.close();
      assert.match(error?.message ?? "", reason);
    });

    test(`${version}: opensearch-py shows the type and the reason of an error of ${who}`, async () => {
      const script = `
try:
    client.info(headers={"x-opaque-id": "a" * 2000})
except exceptions.TransportError as error:
    print(json.dumps([error.error, str(error)]))`;
      const [type, message] = await runPython<[string, string]>(`${gateway.url}/raw-backend`, key, script);
      assert.is(type, who === "the gateway" ? "invalid_request" : "forbidden");
      assert.match(message, reason);
    });
  }

  for (const name of ["x-opaque-id", "accept", "content-type"]) {
    test(`${version}: ${name} over 1,024 bytes is 400, and the cluster is not called`, async () => {
      const behind = await startGateway({ node: proxy.url });
      proxy.reset();
      const { status, body } = await behind.send("POST", "/raw-backend/_search", {
        body: bytes("{}"),
        headers: { ...json, [name]: `application/json;${"a".repeat(9_000)}` },
      });
      assert.equal([status, body.error.code, proxy.calls.length], [400, "invalid_request", 0]);
    });
  }

  test(`${version}: a URL that is too long for the cluster does not block the connection for other requests`, async () => {
    const others = await startGateway({ node: cluster.url, functionTimeoutMs: 5_000 });
    const long = await others.send("GET", `/raw-backend/${index}/_search?q=${"a".repeat(5_000)}`);
    assert.is(long.status, 400);
    assert.match(long.text, "too_long_http_line_exception");
    assert.is((await others.send("GET", `/raw-backend/${index}/_count`)).status, 200);
  });
}

test.after(stopStarted);

test.run();
