import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { LocalError } from "@relevance/processes/error.ts";
import { freePort } from "@relevance/processes/ports.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { connectTo } from "../../dev/opensearch.ts";

const test = suite("a cluster that a user provides");

const AUTHORIZATION = `Basic ${Buffer.from("reader:p@ss").toString("base64")}`;
const CLUSTER = JSON.stringify({ version: { number: "2.19.6", distribution: "opensearch" } });
const OTHER = JSON.stringify({ version: { number: "8.1.0" } });

/** Connects to a server that answers like this, with a user before its host. Returns the cluster, or the refusal. */
async function connected(answer: (authorization?: string) => { status?: number; body: string }, user = "") {
  const server = createServer(({ headers }, response) => {
    const { status = 200, body } = answer(headers.authorization);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return { host, ...(await connectTo(new URL(`http://${user}${host}`))) };
  } catch (error) {
    assert.instance(error, LocalError, String(error));
    return (error as Error).message;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const guarded = (authorization?: string) =>
  authorization === AUTHORIZATION ? { body: CLUSTER } : { status: 401, body: "" };

test("is used with the user and the password of its address, which its own address leaves out", async () => {
  const cluster = await connected(guarded, "reader:p%40ss@");
  if (typeof cluster === "string") throw new Error(cluster);
  const { url, host, version, credentials } = cluster;
  assert.equal([url, version, credentials], [`http://${host}`, "2.19.6", { user: "reader", password: "p@ss" }]);
});

test("that requires a user and a password is refused, and the message shows how to give them", async () => {
  const message = await connected(guarded);
  assert.match(
    String(message),
    /answers 401: give user and password in the address, as in OPENSEARCH_URL=http:\/\/user/,
  );
});

for (const [what, status, body] of [
  ["another server", 200, "[]"],
  ["another engine", 200, OTHER],
  ["a server that fails", 500, CLUSTER],
] as const) {
  test(`is not ${what}`, async () => {
    const message = await connected(() => ({ status, body }));
    assert.match(String(message), `is not OpenSearch (it answers ${status}): check OPENSEARCH_URL`);
  });
}

test("that does not answer is named", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const message = await connectTo(new URL(url)).catch((error: Error) => error.message);
  assert.match(String(message), `no OpenSearch answers at ${url}: start it, or leave OPENSEARCH_URL out`);
});

test.run();
