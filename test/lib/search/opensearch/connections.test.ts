import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import * as assert from "uvu/assert";
import { noAuth } from "../../../../lib/search/opensearch/auth.ts";
import { createCluster } from "../../../../lib/search/opensearch/client.ts";
import { type Cluster, ClusterFailure } from "../../../../lib/search/opensearch/cluster.ts";
import { SELF_SIGNED } from "../../../fixtures/self-signed.ts";
import { suite } from "../../../suite.ts";

const test = suite("connections to the cluster");

const servers: Server[] = [];
test.after(() => {
  for (const server of servers) server.close().closeAllConnections();
});

interface Listening {
  cluster: Cluster;
  /** Every connection that was opened. */
  sockets: Socket[];
}

async function listen(server: Server, protocol = "http"): Promise<Listening> {
  const sockets: Socket[] = [];
  server.on(protocol === "http" ? "connection" : "secureConnection", (socket: Socket) => sockets.push(socket));
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { sockets, cluster: createCluster({ node: `${protocol}://127.0.0.1:${port}`, auth: noAuth }) };
}

const ok: RequestListener = (_request, response) => response.end("{}");
const get = (cluster: Cluster, path = "/", timeoutMs = 60_000) => cluster.send({ method: "GET", path }, timeoutMs);

async function failure(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown) => thrown,
  );
  if (!(error instanceof ClusterFailure)) throw new Error(`no failure, but ${error}`);
  return `${error.kind}, ${error.sent ? "sent" : "not sent"}: ${error.message}`;
}

test("are at most 64: the next call waits for one, and is not sent if it times out first", async () => {
  const held: ServerResponse[] = [];
  const paths: Array<string | undefined> = [];
  const server = createServer(({ url }, response) => {
    paths.push(url);
    if (paths.length <= 64) held.push(response);
    else response.end("{}");
  });
  const { cluster, sockets } = await listen(server);
  const calls = Array.from({ length: 64 }, (_, call) => get(cluster, `/${call}`));
  while (held.length < 64) await once(server, "request");
  const late = get(cluster, "/late", 20);
  const patient = get(cluster, "/patient");
  assert.is(await failure(late), "timeout, not sent: no answer within 20 ms");
  for (const response of held) response.end("{}");
  await Promise.all([...calls, patient]);
  assert.equal([paths.length, paths.at(-1), sockets.length], [65, "/patient", 64]);
});

test("make room for the waiting call when they break", async () => {
  const held: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    if (held.length < 64) held.push(response);
    else response.end("{}");
  });
  const { cluster } = await listen(server);
  const calls = Array.from({ length: 64 }, () => failure(get(cluster)));
  while (held.length < 64) await once(server, "request");
  const patient = get(cluster);
  for (const response of held) response.destroy();
  assert.is((await patient).status, 200);
  assert.ok((await Promise.all(calls)).every((text) => text.startsWith("lost, sent: ")));
});

test("are not reused when the cluster announces that it closes them within a second", async () => {
  const { cluster, sockets } = await listen(createServer({ keepAliveTimeout: 1_000 }, ok));
  for (let call = 0; call < 3; call += 1) await get(cluster);
  assert.is(sockets.length, 3);
  const longer = await listen(createServer({ keepAliveTimeout: 60_000 }, ok));
  for (let call = 0; call < 3; call += 1) await get(longer.cluster);
  assert.is(longer.sockets.length, 1);
});

test("that the cluster closed while they were idle are not reused", async () => {
  const { cluster, sockets } = await listen(createServer(ok));
  await get(cluster);
  sockets[0]?.end();
  await once(sockets[0] as Socket, "close");
  assert.is((await get(cluster)).status, 200);
  assert.is(sockets.length, 2);
});

test("that were idle for 20 seconds are not reused", async () => {
  const { cluster, sockets } = await listen(createServer({ keepAliveTimeout: 60_000 }, ok));
  const { now } = performance;
  const late = (ms: number) => {
    performance.now = () => now.call(performance) + ms;
  };
  try {
    await get(cluster);
    late(15_000);
    await get(cluster);
    late(30_000);
    await get(cluster);
    assert.is(sockets.length, 1);
    late(50_001);
    await get(cluster);
  } finally {
    performance.now = now;
  }
  assert.is(sockets.length, 2);
});

test("carry the length of each body, and 0 without a body only where the method expects one", async () => {
  const seen: unknown[] = [];
  const server = createServer(({ method, headers }, response) => {
    seen.push([method, headers["content-length"], headers["transfer-encoding"]]);
    response.end();
  });
  const { cluster } = await listen(server);
  for (const method of ["GET", "DELETE", "POST", "PUT"]) await cluster.send({ method, path: "/" }, 60_000);
  await cluster.send({ method: "POST", path: "/", body: "ä" }, 60_000);
  const none = undefined;
  assert.equal(seen, [
    ["GET", none, none],
    ["DELETE", none, none],
    ["POST", "0", none],
    ["PUT", "0", none],
    ["POST", "2", none],
  ]);
});

test("that cannot be opened send nothing", async () => {
  const closed = createServer();
  const { cluster } = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
  assert.is(await failure(get(cluster)), "refused, not sent: no connection to the cluster (ECONNREFUSED)");
});

test("over TLS check the certificate before anything is sent, are reused, and resume their session", async () => {
  const requested: unknown[] = [];
  const server = createSecureServer(SELF_SIGNED, ({ headers, socket }, response) => {
    requested.push([
      headers.host === `127.0.0.1:${(server.address() as AddressInfo).port}`,
      (socket as TLSSocket).isSessionReused(),
    ]);
    response.end("{}");
  });
  const { cluster, sockets } = await listen(server, "https");
  assert.is(
    await failure(get(cluster)),
    "refused, not sent: no connection to the cluster (DEPTH_ZERO_SELF_SIGNED_CERT)",
  );
  assert.equal(requested, []);
  const trusted = getCACertificates("default");
  setDefaultCACertificates([SELF_SIGNED.cert]);
  try {
    await get(cluster);
    await get(cluster);
    const [used] = sockets.slice(-1);
    used?.end();
    await once(used as Socket, "close");
    await get(cluster);
  } finally {
    setDefaultCACertificates(trusted);
  }
  assert.equal(requested, [
    [true, false],
    [true, false],
    [true, true],
  ]);
});

test.run();
