import { Client } from "@opensearch-project/opensearch";
import * as assert from "uvu/assert";
import { waitFor } from "../../packages/processes/wait.ts";
import { type FaultProxy, startFaultProxy } from "../fixtures/fault-proxy.ts";
import { API_KEY, startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { type Cluster, clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { runPython } from "../fixtures/opensearch-py.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("raw backend: writes whose outcome is unknown");

/** A short function timeout, so that a call that is never answered ends soon. */
const SHORT_MS = 6_000;

/** Creates an index on which `refresh=wait_for` is never answered. */
async function slowIndex(cluster: Cluster): Promise<string> {
  const index = uniqueIndex("slow");
  await request(cluster, "PUT", `/${index}`, { settings: { refresh_interval: "-1", number_of_replicas: 0 } });
  return index;
}

/** Waits for the result of a write, which may still be in progress on a busy cluster when the gateway gives up. */
async function exists(cluster: Cluster, path: string): Promise<void> {
  const found = async () => (await request(cluster, "HEAD", path)).status === 200;
  await waitFor(found, { what: path, timeoutMs: 30_000 });
}

async function documentsIn(cluster: Cluster, index: string): Promise<number> {
  await request(cluster, "POST", `/${index}/_refresh`);
  return (await request<{ count: number }>(cluster, "GET", `/${index}/_count`)).body.count;
}

// The proxy loses the answers, not a version of the cluster.
for (const cluster of (await clusters()).slice(-1)) {
  const { version } = cluster;
  const index = uniqueIndex("outcome");
  let proxy: FaultProxy;
  let gateway: TestGateway;
  const send = (method: string, path: string) =>
    gateway.send(method, `/raw-backend${path}`, {
      ...(method !== "GET" && { body: "{}", headers: { "content-type": "application/json" } }),
    });
  const outcome = async (method: string, path: string) => {
    const { status, body } = await send(method, path);
    return [status, body.error?.code];
  };

  test.before(async () => {
    proxy = await startFaultProxy(cluster.url);
    gateway = await startGateway({ node: proxy.url, functionTimeoutMs: SHORT_MS });
    await request(cluster, "PUT", `/${index}`, { settings: { number_of_replicas: 0 } });
  });

  test.before.each(() => proxy.reset());

  test(`${version}: opensearch-js at its defaults writes one document to a slow index`, async () => {
    const slow = await slowIndex(cluster);
    const client = new Client({ node: `${gateway.url}/raw-backend`, headers: { "x-api-key": API_KEY } });
    const status = await client.index({ index: slow, body: { n: 1 }, refresh: "wait_for" }).then(
      (answer) => answer.statusCode,
      (error: { statusCode: number }) => error.statusCode,
    );
    await client.close();
    assert.is(status, 500);
    assert.is(await documentsIn(cluster, slow), 1);
  });

  test(`${version}: opensearch-py at its defaults writes one document to a slow index`, async () => {
    const slow = await slowIndex(cluster);
    const script = `
try:
    client.index(index="${slow}", body={"n": 1}, refresh="wait_for")
except exceptions.TransportError as error:
    print(json.dumps(error.status_code))`;
    assert.is(await runPython(`${gateway.url}/raw-backend`, API_KEY, script), 500);
    assert.is(await documentsIn(cluster, slow), 1);
  });

  test(`${version}: creating an index that waits for missing shards is 500 outcome_unknown, and the index exists`, async () => {
    const waiting = uniqueIndex("waiting");
    const path = `/${waiting}?wait_for_active_shards=2&timeout=40s`;
    assert.equal(await outcome("PUT", path), [500, "outcome_unknown"]);
    await exists(cluster, `/${waiting}`);
  });

  for (const [what, kind] of [
    ["is not answered in time", "hang_after"],
    ["loses its connection", "drop_after"],
  ] as const) {
    test(`${version}: a write that ${what} is 500 outcome_unknown, and is sent once`, async () => {
      proxy.fault({ path: "/_doc", fault: { kind } });
      assert.equal(await outcome("PUT", `/${index}/_doc/${kind}`), [500, "outcome_unknown"]);
      assert.is(proxy.count("/_doc"), 1);
      await exists(cluster, `/${index}/_doc/${kind}`);
    });
  }

  for (const status of [502, 503, 504]) {
    test(`${version}: ${status} from a proxy in front of the cluster is 500 outcome_unknown, but only for a write`, async () => {
      proxy.fault({ path: `/${index}/`, fault: { kind: "answer", status, body: "<html>" } });
      assert.equal(await outcome("PUT", `/${index}/_doc/p`), [500, "outcome_unknown"]);
      const read = await send("GET", `/${index}/_search`);
      assert.equal([read.status, read.text], [status, "<html>"]);
    });
  }

  test(`${version}: 503 and 429 from the cluster itself are returned unchanged, and not retried`, async () => {
    for (const status of [503, 429]) {
      proxy.reset();
      proxy.fault({ path: "/_doc", fault: { kind: "status", status, body: { error: "full", status } } });
      const { status: got, body } = await send("PUT", `/${index}/_doc/busy`);
      assert.equal([got, body, proxy.count("/_doc")], [status, { error: "full", status }, 1]);
    }
    assert.is((await request(cluster, "HEAD", `/${index}/_doc/busy`)).status, 404);
  });

  test(`${version}: a write to a cluster that refuses connections is 503`, async () => {
    await proxy.refuse();
    const refused = await outcome("PUT", `/${index}/_doc/1`);
    await proxy.accept();
    assert.equal(refused, [503, "upstream_unavailable"]);
  });

  test(`${version}: a read that is not answered in time is 504`, async () => {
    proxy.fault({ path: "/_search", fault: { kind: "hang_before" } });
    const reads = await Promise.all(["GET", "POST"].map((method) => outcome(method, `/${index}/_search`)));
    assert.equal(reads, [
      [504, "timeout"],
      [504, "timeout"],
    ]);
    assert.is(proxy.count("/_search"), 2);
  });

  test(`${version}: a read whose connection breaks is retried once`, async () => {
    proxy.fault({ path: "/_count", fault: { kind: "drop_after" }, times: 1 });
    assert.is((await send("POST", `/${index}/_count`)).status, 200);
    assert.is(proxy.count("/_count"), 2);
    proxy.reset();
    proxy.fault({ path: "/_count", fault: { kind: "drop_before" } });
    assert.equal(await outcome("GET", `/${index}/_count`), [502, "upstream_failed"]);
    assert.is(proxy.count("/_count"), 2);
  });

  test(`${version}: the next page of a scroll is not retried, because that would skip a page`, async () => {
    proxy.fault({ path: "/_search/scroll", fault: { kind: "drop_after" } });
    for (const method of ["GET", "POST"]) {
      assert.equal(await outcome(method, "/_search/scroll?scroll_id=x"), [500, "outcome_unknown"]);
    }
    assert.is(proxy.count("/_search/scroll"), 2);
  });
}

test.after(stopStarted);

test.run();
