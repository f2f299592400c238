import * as assert from "uvu/assert";
import { type FaultProxy, startFaultProxy } from "../fixtures/fault-proxy.ts";
import { API_KEY, startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, uniqueIndex } from "../fixtures/opensearch.ts";
import { countRefused } from "../fixtures/refused-connections.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("raw backend: what goes over the wire");

/** Headers of the gateway's own connection, whatever the caller sends. */
const OF_THE_CONNECTION = ["connection", "content-length", "host", "user-agent"];

for (const cluster of await clusters()) {
  const index = uniqueIndex("wire");
  let gateway: TestGateway;
  let proxy: FaultProxy;

  test.before(async () => {
    proxy = await startFaultProxy(cluster.url);
    gateway = await startGateway({ node: proxy.url });
  });

  test.before.each(() => proxy.reset());

  test(`${cluster.version}: forwards only content-type, accept and x-opaque-id of the caller's headers`, async () => {
    const forwarded = {
      "content-type": "application/json; charset=utf-8",
      accept: "application/json",
      "x-opaque-id": "shop-7",
    };
    const kept = {
      authorization: "Basic Y2FsbGVyOnNlY3JldA==",
      cookie: "session=1",
      "x-api-key": API_KEY,
      "x-forwarded-user": "admin",
      securitytenant: "other",
      "x-amz-security-token": "token",
    };
    const { status } = await gateway.send("PUT", `/raw-backend/${index}/_doc/1`, {
      body: '{"n":1}',
      headers: { ...forwarded, ...kept },
    });
    assert.is(status, 201);
    assert.is(proxy.calls.length, 1);
    const { headers = {} } = proxy.calls[0] ?? {};
    const callers = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name));
    assert.equal(Object.fromEntries(callers), forwarded);
    assert.is(headers["user-agent"], "relevance");
  });

  test(`${cluster.version}: forwards method, path, query and body unchanged`, async () => {
    const body = '{"n": 9007199254740993,\n"r":1.0}';
    await gateway.send("POST", `/raw-backend/${index}/_doc/a%2Fb%20%C3%A9?refresh=true&routing=x%26y`, {
      body,
      headers: { "content-type": "application/json" },
    });
    const [call] = proxy.calls;
    assert.equal(
      [call?.method, call?.path, call?.query, call?.body],
      ["POST", `/${index}/_doc/a%2Fb%20%C3%A9`, "refresh=true&routing=x%26y", body],
    );
  });

  test(`${cluster.version}: returns the cluster's warning`, async () => {
    // A node warns once for each x-opaque-id.
    const headers = () => ({ "x-opaque-id": uniqueIndex("warned") });
    const direct = await fetch(`${cluster.url}/_cat/master`, { headers: headers() });
    const warning = direct.headers.get("warning");
    assert.match(warning ?? "", "deprecated");
    const through = await gateway.send("GET", "/raw-backend/_cat/master", { headers: headers() });
    assert.is(through.headers.get("warning"), warning);
  });

  test(`${cluster.version}: forwards PATCH with its body, and returns the cluster's answer`, async () => {
    // Only the security plugin has calls with PATCH, and this cluster runs without it.
    const path = `/${index}/_doc/1`;
    const patch = { method: "PATCH", body: '[{"op":"remove"}]', headers: { "content-type": "application/json" } };
    const direct = await fetch(`${cluster.url}${path}`, patch);
    const through = await gateway.send("PATCH", `/raw-backend${path}`, patch);
    assert.equal([through.status, through.text], [405, await direct.text()]);
    assert.equal(
      proxy.calls.map(({ method, body }) => [method, body]),
      [["PATCH", patch.body]],
    );
    const body = { status: "OK", message: "planted" };
    proxy.fault({ path, fault: { kind: "status", status: 200, body } });
    const accepted = await gateway.send("PATCH", `/raw-backend${path}`, patch);
    assert.equal([accepted.status, accepted.body], [200, body]);
  });

  for (const method of ["GET", "POST", "DELETE"]) {
    test(`${cluster.version}: ${method}: retries a refused connection up to three attempts, then answers 503`, async () => {
      const refused = countRefused(proxy.url);
      await proxy.refuse();
      const { status, body } = await gateway.send(method, `/raw-backend/${index}/_doc/1`);
      await proxy.accept();
      refused.stop();
      assert.equal([status, body.error.code], [503, "upstream_unavailable"]);
      assert.is(refused.count, 3);
      assert.is(proxy.calls.length, 0);
    });
  }
}

test.after(stopStarted);

test.run();
