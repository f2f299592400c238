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

const only = ([event, ...more]: readonly ProxyEvent[]): ProxyEvent => {
  assert.ok(event && more.length === 0);
  return event;
};

test("passes a request on as a REST API's proxy event with a binary body", async () => {
  const { events, handler } = recorder();
  const { url } = await start(handler);
  const headers = { "Content-Type": "application/json", "X-Several": ["1", "2"] };
  await send(url, "/raw-backend/books/_doc/a%2Fb?q=a%20b%2Bc+d&x=1&x=2&flag", { headers, body: '{"ä":1}' });

  const event = only(events);
  const { resource, path, httpMethod, pathParameters, stageVariables, body, isBase64Encoded } = event;
  assert.equal([resource, path, httpMethod], ["/raw-backend/{proxy+}", "/raw-backend/books/_doc/a%2Fb", "POST"]);
  assert.equal([pathParameters, stageVariables, isBase64Encoded], [{ proxy: "books/_doc/a%2Fb" }, null, true]);
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
  const { body, isBase64Encoded, queryStringParameters: one, multiValueQueryStringParameters: all } = only(events);
  assert.equal([body, isBase64Encoded, one, all], [null, false, null, null]);
});

test("fills the request context, and passes the id on with the remaining time", async () => {
  const { events, handler } = recorder();
  let seen: unknown[] = [];
  const watching: ProxyHandler = async (event, context) => {
    const left = context.getRemainingTimeInMillis();
    seen = [context.awsRequestId, left > 27_000 && left <= 28_000];
    return handler(event, context);
  };
  const { url } = await start(watching, { basePath: "shop" });
  const before = Date.now();
  await send(url, "/shop/application/search", { headers: { "user-agent": "test" } });
  const { requestContext, path } = only(events);
  const { stage, path: whole, httpMethod, protocol, identity, requestId, requestTime, ...rest } = requestContext;
  assert.equal([path, stage, whole], ["/application/search", "shop", "/shop/application/search"]);
  assert.equal([httpMethod, protocol, identity.sourceIp], ["POST", "HTTP/1.1", "127.0.0.1"]);
  assert.equal([identity.userAgent, identity.apiKey], ["test", KEY]);
  assert.match(requestId, /^[0-9a-f-]{36}$/);
  assert.equal(seen, [requestId, true]);
  assert.match(requestTime ?? "", /^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
  assert.ok(rest.requestTimeEpoch >= before && rest.requestTimeEpoch <= Date.now());
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

test("returns the same error for a missing and a wrong key, whatever the body, without calling the function", async () => {
  const { events, handler } = recorder();
  const { url } = await start(handler);
  const shape = ({ text }: { text: string }) => ({ ...JSON.parse(text).error, request_id: "" });
  const [without, wrong, large] = await Promise.all(
    [["", ""], ["no", ""], ["no", Buffer.alloc(9_000_000)] as const].map(([key = "", body]) =>
      send(url, "/application/search", { headers: { "x-api-key": String(key) }, ...(body && { body }) }),
    ),
  );
  assert.ok(without && wrong && large);
  assert.equal(errorOf(without), [403, "forbidden"]);
  for (const other of [wrong, large]) assert.equal(shape(other), shape(without));
  assert.is(JSON.parse(wrong.text).error.request_id, wrong.headers["x-request-id"]);
  assert.is(events.length, 0);
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

test("accepts a body that just fits into Lambda's event, and refuses larger ones so that the client sees it", async () => {
  const { events, handler } = recorder();
  const { url } = await start(handler);
  const sent = (bytes: number) => send(url, "/application/search", { body: Buffer.alloc(bytes) });
  assert.is((await sent(4_717_000)).status, 200);
  assert.equal(errorOf(await sent(4_718_592)), [413, "payload_too_large"]);
  const over = await sent(10 * 1024 * 1024 + 1);
  assert.equal(errorOf(over), [413, "payload_too_large"]);
  assert.match(JSON.parse(over.text).error.message, /over 10485760 bytes/);
  assert.is(events.length, 1);
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
