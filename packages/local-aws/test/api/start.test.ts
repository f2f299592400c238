import { once } from "node:events";
import { Agent } from "node:http";
import { connect } from "node:net";
import type { ProxyEvent, ProxyHandler } from "@relevance/lib/platform/http/event.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { preflights } from "../../api/service.ts";
import { startApi } from "../../api/start.ts";
import { errorOf, KEY, ROUTES, recorder, send, servers } from "./server.ts";

const test = suite("local API server");
const { start, keep } = servers(test);

test("passes a request on as a REST API's proxy event with a binary body", async () => {
  const { events, handler } = recorder();
  const { url } = await start(handler);
  const headers = { "Content-Type": "application/json", "X-Several": ["1", "2"] };
  await send(url, "/raw-backend/books/_doc/a%2Fb?q=a%20b%2Bc+d&x=1&x=2&flag", { headers, body: '{"ä":1}' });

  const [event] = events;
  assert.ok(event);
  const { resource, path, httpMethod, pathParameters, stageVariables, body, isBase64Encoded } = event;
  assert.equal(
    { resource, path, httpMethod, pathParameters, stageVariables, isBase64Encoded },
    {
      resource: "/raw-backend/{proxy+}",
      path: "/raw-backend/books/_doc/a%2Fb",
      httpMethod: "POST",
      pathParameters: { proxy: "books/_doc/a%2Fb" },
      stageVariables: null,
      isBase64Encoded: true,
    },
  );
  assert.is(Buffer.from(body ?? "", "base64").toString(), '{"ä":1}');
  assert.equal(event.queryStringParameters, { q: "a b+c d", x: "2", flag: "" });
  assert.equal(event.multiValueQueryStringParameters, { q: ["a b+c d"], x: ["1", "2"], flag: [""] });
  assert.is(event.headers["Content-Type"], "application/json");
  assert.is(event.headers["X-Several"], "2");
  assert.equal(event.multiValueHeaders["X-Several"], ["1", "2"]);
  assert.is(event.headers["X-Forwarded-For"], "127.0.0.1");
});

test("does not pass on the connection's headers", async () => {
  const { events, handler } = recorder();
  const { url } = await start(handler);
  await send(url, "/application/search", { headers: { Connection: "close" }, body: "{}" });
  const names = Object.keys(events[0]?.headers ?? {}).map((name) => name.toLowerCase());
  assert.equal(names.sort(), ["host", "x-api-key", "x-forwarded-for", "x-forwarded-port", "x-forwarded-proto"]);
});

test("passes null for a missing body and a missing query", async () => {
  const { events, handler } = recorder();
  const { url } = await start(handler);
  await send(url, "/application/search");
  const { body, isBase64Encoded, queryStringParameters, multiValueQueryStringParameters } = events[0] as ProxyEvent;
  assert.equal(
    [body, isBase64Encoded, queryStringParameters, multiValueQueryStringParameters],
    [null, false, null, null],
  );
});

test("fills the request context", async () => {
  const { events, handler } = recorder();
  const { url } = await start(handler, { basePath: "shop" });
  const before = Date.now();
  await send(url, "/shop/application/search", { headers: { "user-agent": "test" } });
  const { requestContext, path } = events[0] as ProxyEvent;
  const {
    stage,
    path: whole,
    httpMethod,
    protocol,
    identity,
    requestId,
    requestTime,
    requestTimeEpoch,
  } = requestContext;
  assert.equal([path, stage, whole], ["/application/search", "shop", "/shop/application/search"]);
  assert.equal([httpMethod, protocol, identity.sourceIp], ["POST", "HTTP/1.1", "127.0.0.1"]);
  assert.equal([identity.userAgent, identity.apiKey], ["test", KEY]);
  assert.match(requestId, /^[0-9a-f-]{36}$/);
  assert.match(requestTime ?? "", /^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
  assert.ok(requestTimeEpoch >= before && requestTimeEpoch <= Date.now());
});

test("passes each call a context with an id and the remaining time", async () => {
  let seen: unknown[] = [];
  const { url } = await start(async (event, context) => {
    const left = context.getRemainingTimeInMillis();
    seen = [context.awsRequestId === event.requestContext.requestId, left > 27_000 && left <= 28_000];
    return { statusCode: 200, body: "" };
  });
  await send(url, "/application/search");
  assert.equal(seen, [true, true]);
});

test("routes requests to two services by their base paths", async () => {
  const answer =
    (body: string): ProxyHandler =>
    async () => ({ statusCode: 200, body });
  const api = await startApi({
    services: [
      { routes: ROUTES, handler: answer("search"), keys: ["a"] },
      { basePath: "recommendation", routes: ROUTES, handler: answer("recommendation"), keys: ["b"] },
    ],
  });
  keep(api);
  const get = async (path: string, key: string) => (await send(api.url, path, { headers: { "x-api-key": key } })).text;
  assert.is(await get("/recommendation/x", "b"), "recommendation");
  assert.is(await get("/recommendations", "a"), "search");
  assert.match(await get("/recommendation/x", "a"), /forbidden/);
});

test("returns the same error for a missing and a wrong key, without calling the function", async () => {
  const { events, handler } = recorder();
  const { url } = await start(handler);
  const without = await send(url, "/application/search", { headers: { "x-api-key": "" } });
  const wrong = await send(url, "/application/search", { headers: { "x-api-key": "no" } });
  const shape = ({ text }: { text: string }) => ({ ...JSON.parse(text).error, request_id: "" });
  assert.equal(errorOf(without), [403, "forbidden"]);
  assert.equal(shape(without), shape(wrong));
  assert.is(JSON.parse(wrong.text).error.request_id, wrong.headers["x-request-id"]);
  assert.is(events.length, 0);
});

test("refuses a large request with a wrong key so that the client sees the response", async () => {
  const { url } = await start(recorder().handler);
  const body = Buffer.alloc(9_000_000);
  const answer = await send(url, "/application/search", { headers: { "x-api-key": "no" }, body });
  assert.equal(errorOf(answer), [403, "forbidden"]);
});

test("answers OPTIONS itself and without a key if there are origins, and requires the key otherwise", async () => {
  const { events, handler } = recorder();
  const preflight = { method: "OPTIONS", headers: { "x-api-key": "", origin: "https://a.example" } };
  const open = await start(handler, { options: preflights(ROUTES, { allow_origins: ["https://a.example"] }) });
  const { status, headers } = await send(open.url, "/application/search", preflight);
  assert.equal([status, headers["access-control-allow-origin"]], [204, "https://a.example"]);
  assert.equal(errorOf(await send((await start(handler)).url, "/application/search", preflight)), [403, "forbidden"]);
  assert.is(events.length, 0);
});

test("lets pages of allowed origins read what it refuses", async () => {
  const refused = async (origins: readonly string[] | undefined) => {
    const { url } = await start(recorder().handler, { origins });
    const sent = { headers: { "x-api-key": "no", origin: "https://a.example" } };
    const { status, headers } = await send(url, "/application/search", sent);
    return [status, headers["access-control-allow-origin"], headers.vary];
  };
  assert.equal(await refused(["*"]), [403, "*", undefined]);
  assert.equal(await refused(["https://a.example", "https://b.example"]), [403, "https://a.example", "origin"]);
  assert.equal(await refused(undefined), [403, undefined, undefined]);
});

test("passes unknown paths and methods to the function, but refuses the root, which has no resource", async () => {
  const { events, handler } = recorder();
  const { url } = await start(handler);
  await send(url, "/unknown", { method: "PATCH" });
  assert.equal([events[0]?.resource, events[0]?.httpMethod], ["/{proxy+}", "PATCH"]);
  assert.equal(errorOf(await send(url, "/")), [404, "not_found"]);
});

test("throttles by the usage plan with retry-after", async () => {
  const { url } = await start(recorder().handler, { usage: { dailyQuota: 1 } });
  await send(url, "/application/search");
  const answer = await send(url, "/application/search");
  assert.equal(errorOf(answer), [429, "throttled"]);
  assert.ok(Number(answer.headers["retry-after"]) > 0);
});

test("accepts a body that just fits into Lambda's event and refuses a larger one", async () => {
  const { events, handler } = recorder();
  const { url } = await start(handler);
  const fits = await send(url, "/application/search", { body: Buffer.alloc(4_717_000) });
  const over = await send(url, "/application/search", { body: Buffer.alloc(4_718_592) });
  assert.is(fits.status, 200);
  assert.equal(errorOf(over), [413, "payload_too_large"]);
  assert.is(events.length, 1);
});

test("refuses a payload over 10 MB but reads it, so that the client sees the response", async () => {
  const { events, handler } = recorder();
  const { url } = await start(handler);
  const answer = await send(url, "/application/search", { body: Buffer.alloc(10 * 1024 * 1024 + 1) });
  assert.equal(errorOf(answer), [413, "payload_too_large"]);
  assert.match(JSON.parse(answer.text).error.message, /over 10485760 bytes/);
  assert.is(events.length, 0);
});

test("serves many requests on one connection", async () => {
  const ports = new Set<number | undefined>();
  const { url } = await start(recorder().handler);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agent.on("free", (socket) => ports.add(socket.localPort));
  for (let n = 0; n < 5; n += 1) await send(url, "/application/search", { agent, body: "{}" });
  agent.destroy();
  assert.is(ports.size, 1);
});

test("keeps serving when a client disconnects during its request or before the response", async () => {
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const { url } = await start(async () => {
    entered.resolve();
    await release.promise;
    return { statusCode: 200, body: "answer" };
  });
  const leave = async (rest: string, until?: Promise<void>) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(`POST /application/search HTTP/1.1\r\nhost: x\r\nx-api-key: ${KEY}\r\n${rest}`);
    await (until ?? once(socket, "connect"));
    socket.destroy();
    await once(socket, "close");
  };
  await leave("content-length: 100\r\n\r\nhalf");
  await leave("content-length: 2\r\n\r\n{}", entered.promise);
  release.resolve();
  assert.is((await send(url, "/application/search")).text, "answer");
});

test("stops gracefully: answers requests in flight, accepts no new ones, closes connections", async () => {
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const api = await start(async () => {
    entered.resolve();
    await release.promise;
    return { statusCode: 200, body: "done" };
  });
  const agent = new Agent({ keepAlive: true });
  const inFlight = send(api.url, "/application/search", { agent });
  await entered.promise;
  const stopped = api.stop();
  const refused = await send(api.url, "/application/search").catch((error) => error.code);
  release.resolve();
  const { text, headers } = await inFlight;
  assert.equal([text, headers.connection], ["done", "close"]);
  await stopped;
  agent.destroy();
  assert.is(refused, "ECONNREFUSED");
});

test("does not wait for a hanging function when it is stopped", async () => {
  const entered = Promise.withResolvers<void>();
  const api = await start(() => {
    entered.resolve();
    return new Promise(() => undefined);
  });
  const hanging = send(api.url, "/application/search").catch((error) => error.code);
  await entered.promise;
  await api.stop(10);
  assert.is(await hanging, "ECONNRESET");
});

test("says that a port is in use", async () => {
  const { url } = await start(recorder().handler);
  const port = Number(new URL(url).port);
  const error = await start(recorder().handler, { port }).catch((thrown) => thrown);
  assert.match(error.message, new RegExp(`^port ${port} is taken by another program`));
});

test.run();
