import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { type AfterCall, type DoneCall, router } from "../../cloud/router.ts";

const test = suite("hook after a call to the local cloud");

const servers: Server[] = [];
async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let status = 200;
let afterCall: AfterCall;
let url = "";

test.before(async () => {
  const moto = await serve((request, response) => {
    request.resume().on("end", () => response.writeHead(status).end("moto's answer"));
  });
  const options = {
    standIns: new Map(),
    motoUrl: Promise.resolve(moto),
    afterCall: (call: DoneCall) => afterCall(call),
  };
  url = await serve(router(options));
});
test.after(() => {
  for (const server of servers) server.close().closeAllConnections();
});

async function call(service: string, { path = "/", method = "POST", target = "", body = "{}" } = {}) {
  const authorization = `AWS4-HMAC-SHA256 Credential=test/20260101/eu-west-1/${service}/aws4_request, Signature=x`;
  const headers = { authorization, ...(target !== "" && { "x-amz-target": target }) };
  const answer = await fetch(`${url}${path}`, { method, headers, body });
  return { status: answer.status, text: await answer.text() };
}

/** Returns the calls that are seen while `work` runs. */
async function seen(work: () => Promise<unknown>) {
  const calls: object[] = [];
  afterCall = async ({ body, ...rest }) => void calls.push({ ...rest, body: body.toString() });
  await work();
  return calls;
}

test("receives the service, the operation and the body, but not the body of an object", async () => {
  const calls = await seen(async () => {
    await call("dynamodb", { target: "DynamoDB_20120810.PutItem", body: '{"TableName":"t"}' });
    await call("s3", { path: "/bucket/events/a?x-id=PutObject", method: "PUT", body: "line" });
  });
  assert.equal(calls, [
    { service: "dynamodb", operation: "PutItem", method: "POST", path: "/", body: '{"TableName":"t"}' },
    { service: "s3", operation: undefined, method: "PUT", path: "/bucket/events/a?x-id=PutObject", body: "" },
  ]);
});

test("does not run when the call failed", async () => {
  status = 400;
  const calls = await seen(() => call("dynamodb", { target: "DynamoDB_20120810.PutItem" }));
  status = 200;
  assert.equal(calls, []);
});

test("finishes before the caller gets the response, and fails the call if it fails", async () => {
  const order: string[] = [];
  afterCall = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push("kept");
  };
  assert.equal(await call("firehose", { target: "Firehose_20150804.PutRecordBatch" }), {
    status: 200,
    text: "moto's answer",
  });
  order.push("answered");
  assert.equal(order, ["kept", "answered"]);
  afterCall = () => Promise.reject(new Error("the disk is full"));
  const failed = await call("dynamodb", { target: "DynamoDB_20120810.PutItem" });
  assert.is(failed.status, 500);
  assert.match(failed.text, "the disk is full");
});

test.run();
