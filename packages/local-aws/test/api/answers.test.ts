import { Agent } from "node:http";
import type { ProxyHandler } from "@relevance/lib/platform/http/event.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { errorOf, recorder, send, servers } from "./server.ts";

const test = suite("responses of the local API server");
const { start } = servers(test);

test("decodes a base64 body and sends single and multiple headers", async () => {
  const body = Buffer.from([0, 255, 1]).toString("base64");
  const headers = { "content-type": "application/x-test", "x-number": 7, "x-both": "dropped", connection: "close" };
  const multiValueHeaders = { "set-cookie": ["a=1", "b=2"], "X-Both": ["kept"] };
  const { handler } = recorder({ statusCode: 201, headers, multiValueHeaders, body, isBase64Encoded: true });
  const { url } = await start(handler);
  const agent = new Agent({ keepAlive: true });
  const answer = await send(url, "/application/search", { agent });
  agent.destroy();
  assert.equal([answer.status, [...answer.bytes]], [201, [0, 255, 1]]);
  const {
    "content-type": type,
    "x-number": number,
    "x-both": both,
    "set-cookie": cookies,
    connection,
  } = answer.headers;
  assert.equal([type, number, both, cookies], ["application/x-test", "7", "kept", ["a=1", "b=2"]]);
  assert.is(connection, "keep-alive");
});

test("sends a response without a content type as JSON, as API Gateway does", async () => {
  const { url } = await start(recorder().handler);
  assert.is((await send(url, "/application/search")).headers["content-type"], "application/json");
});

test("sends no body to HEAD and keeps the content length that the function sets", async () => {
  const { url } = await start(recorder({ statusCode: 200, headers: { "content-length": 42 }, body: "" }).handler);
  const { headers, text } = await send(url, "/raw-backend/books", { method: "HEAD" });
  assert.equal([headers["content-length"], text], ["42", ""]);
});

const MALFORMED: Record<string, unknown> = {
  "not an object": undefined,
  "no status": { body: "x" },
  "a status that is not a number": { statusCode: "many", body: "" },
  "a status out of range": { statusCode: 42, body: "" },
  "a body that is an object": { statusCode: 200, body: {} },
  "headers that are a string": { statusCode: 200, headers: "x", body: "" },
  "a header that is an object": { statusCode: 200, headers: { x: {} }, body: "" },
  "a header with a line break": { statusCode: 200, headers: { x: "a\nb" }, body: "" },
  "a list where a header has one value": { statusCode: 200, multiValueHeaders: { x: "a" }, body: "" },
};
test("returns 500 outcome_unknown when the function's response is malformed", async () => {
  let result: unknown;
  const { url } = await start(async () => result as Awaited<ReturnType<ProxyHandler>>);
  for (const [what, malformed] of Object.entries(MALFORMED)) {
    result = malformed;
    assert.equal(errorOf(await send(url, "/application/search")), [500, "outcome_unknown"], what);
  }
});

test("returns 500 outcome_unknown when the function's response as JSON exceeds Lambda's limit", async () => {
  const quotes = (length: number) => recorder({ statusCode: 200, body: '"'.repeat(length) }).handler;
  const fits = await start(quotes(3_145_000));
  const over = await start(quotes(3_146_000));
  assert.is((await send(fits.url, "/application/search")).status, 200);
  assert.equal(errorOf(await send(over.url, "/application/search")), [500, "outcome_unknown"]);
});

test("returns 500 outcome_unknown without the reason when the function throws, and reports the reason", async () => {
  const reported: unknown[] = [];
  const fail: ProxyHandler = async () => {
    throw new Error("secret detail");
  };
  const { url } = await start(fail, { onFunctionError: (error) => reported.push(error) });
  const answer = await send(url, "/application/search");
  assert.equal(errorOf(answer), [500, "outcome_unknown"]);
  assert.not.match(answer.text, /secret detail/);
  assert.match(String(reported[0]), /secret detail/);
});

const never: ProxyHandler = () => new Promise(() => undefined);

test("returns 500 outcome_unknown after the integration's timeout and the function's", async () => {
  const answer = await send((await start(never, { integrationTimeoutMs: 20 })).url, "/application/search");
  assert.equal(errorOf(answer), [500, "outcome_unknown"]);
  assert.match(answer.text, "The function did not answer within 0.02 s.");
  const first = await send((await start(never, { functionTimeoutMs: 20 })).url, "/application/search");
  assert.equal(errorOf(first), [500, "outcome_unknown"]);
});

test.run();
