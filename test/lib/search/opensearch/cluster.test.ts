import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import * as assert from "uvu/assert";
import { noAuth } from "../../../../lib/search/opensearch/auth.ts";
import { createCluster } from "../../../../lib/search/opensearch/client.ts";
import { ClusterFailure } from "../../../../lib/search/opensearch/cluster.ts";
import { suite } from "../../../suite.ts";

const test = suite("answers of the cluster");

/** What the server does with each connection once a request has arrived. */
let answer: (socket: Socket) => unknown;

const connections = new Set<Socket>();
const server = createServer((socket) => {
  connections.add(socket);
  socket.on("error", () => undefined);
  socket.on("close", () => connections.delete(socket));
  socket.on("data", () => answer(socket));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const node = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const cluster = createCluster({ node, auth: noAuth, maxAnswerBytes: 1_000_000 });

test.after(() => {
  for (const socket of connections) socket.destroy();
  server.close();
});

const get = (timeoutMs = 10_000, method = "GET") => cluster.send({ method, path: "/" }, timeoutMs);

async function failure(timeoutMs?: number): Promise<string> {
  const outcome: unknown = await get(timeoutMs).then(
    ({ status }) => status,
    (error: unknown) => error,
  );
  if (outcome instanceof ClusterFailure)
    return `${outcome.kind}, ${outcome.sent ? "sent" : "not sent"}: ${outcome.message}`;
  throw new Error(`no failure, but ${outcome}`);
}

const head = (length: number) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

test("are read whole, in however many pieces they arrive", async () => {
  answer = (socket) => {
    socket.write(`${head(6)}{"a`);
    socket.write('":');
    setImmediate(() => socket.write("1"));
  };
  const { status, headers, body } = await get();
  assert.equal([status, headers["content-type"], body.toString()], [200, "application/json", '{"a":1']);
});

test("of many megabytes that fit are read whole", async () => {
  answer = (socket) => socket.write(head(1_000_000) + "x".repeat(1_000_000));
  assert.is((await get()).body.length, 1_000_000);
});

test("without a body are empty", async () => {
  answer = (socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n");
  assert.is((await get()).body.length, 0);
  answer = (socket) => socket.write(head(77));
  assert.is((await get(10_000, "HEAD")).body.length, 0);
});

test("that are too long fail as too large", async () => {
  answer = (socket) => socket.write(head(1_000_001) + "x".repeat(1_000_001));
  assert.is(await failure(), "too_large, sent: the answer is longer than 1000000 bytes");
});

test("that end early are lost, with a length and in chunks", async () => {
  answer = (socket) => socket.end(`${head(10)}half`);
  assert.match(await failure(), /^lost, sent: /);
  answer = (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n");
  assert.match(await failure(), /^lost, sent: /);
});

test("whose connection is reset are lost", async () => {
  answer = (socket) => socket.write(`${head(10)}half`, () => socket.resetAndDestroy());
  assert.is(await failure(), "lost, sent: the connection ended before the answer did (ECONNRESET)");
});

test("that stop in the middle time out", async () => {
  answer = (socket) => socket.write(`${head(10)}half`);
  assert.is(await failure(100), "timeout, sent: no answer within 100 ms");
});

test("arrive over one connection, call after call", async () => {
  for (const socket of connections) socket.destroy();
  answer = (socket) => socket.write(`${head(2)}{}`);
  await get();
  const [first] = connections;
  for (let call = 0; call < 5; call += 1) await get();
  assert.equal([...connections], [first]);
});

test("of 400, 413 and 431 end the connection, which the server may no longer read", async () => {
  for (const status of [400, 413, 431]) {
    const used = new Set<Socket>();
    answer = (socket) => {
      used.add(socket);
      socket.write(`HTTP/1.1 ${status} No\r\ncontent-length: 2\r\n\r\n{}`);
    };
    const own = createCluster({ node, auth: noAuth });
    for (let call = 0; call < 3; call += 1) await own.send({ method: "GET", path: "/" }, 10_000);
    assert.is(used.size, 3);
  }
});

test.run();
