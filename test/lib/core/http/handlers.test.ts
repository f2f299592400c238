import { gunzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { OPEN } from "../../../../lib/core/http/access.ts";
import { ApiError, type FaultCode } from "../../../../lib/core/http/error.ts";
import type { ProxyEvent, ProxyHandler, ProxyResult, Reply } from "../../../../lib/core/http/event.ts";
import { jsonHandler } from "../../../../lib/core/http/json-handler.ts";
import { MAX_RESULT_BYTES } from "../../../../lib/core/http/limits.ts";
import { plainHandler } from "../../../../lib/core/http/plain-handler.ts";
import { createRouter } from "../../../../lib/core/http/router.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/core/http handlers");

const logged: string[] = [];
const api = {
  log: (line: string) => logged.push(line),
  cors: { allow_origins: ["https://a.example"] },
  project: "shop",
  access: OPEN,
};

const event = (overrides: object = {}) =>
  ({
    httpMethod: "POST",
    path: "/x",
    headers: { "Content-Type": "application/json" },
    body: "{}",
    isBase64Encoded: false,
    requestContext: { requestId: "r-1" },
    ...overrides,
  }) as unknown as ProxyEvent;
const context = { getRemainingTimeInMillis: () => 1_000 } as never;
const call = (handler: ProxyHandler, overrides?: object) => handler(event(overrides), context);
const header = (result: ProxyResult, name: string) => result.headers?.[name];

const replying = (reply: Reply) => plainHandler(api, async () => reply);
const failing = (error: unknown) => plainHandler(api, () => Promise.reject(error));

test("an answer is JSON with the request id", async () => {
  const result = await call(replying({ status: 200, body: "{}" }));
  assert.is(result.statusCode, 200);
  assert.is(header(result, "content-type"), "application/json; charset=utf-8");
  assert.is(header(result, "x-request-id"), "r-1");
});

test("an error of ours is shown whole, with its headers", async () => {
  const issues = [{ path: "a.b", message: "is odd" }];
  const error = new ApiError("throttled", "Wait.", { headers: { "retry-after": "3" }, issues, shown: { type: "t" } });
  const result = await call(failing(error));
  assert.is(result.statusCode, 429);
  assert.is(header(result, "retry-after"), "3");
  assert.equal(JSON.parse(result.body), {
    error: { code: "throttled", message: "Wait.", issues, cause: { type: "t" }, request_id: "r-1" },
  });
});

test("a bug is 500 without a word of it, and is logged whole", async () => {
  logged.length = 0;
  const result = await call(failing(new TypeError("password=hunter2")));
  assert.is(result.statusCode, 500);
  assert.not.match(result.body, "hunter2");
  assert.is(JSON.parse(result.body).error.code, "internal");
  assert.match(logged[0] ?? "", "hunter2");
  assert.match(logged[0] ?? "", "handlers.test.ts");
});

/** Every code of a fault: `satisfies` makes the compiler miss one that is left out. */
const FAULTS = Object.keys({
  internal: true,
  upstream_failed: true,
  outcome_unknown: true,
  response_too_large: true,
  upstream_unavailable: true,
  not_trained: true,
  timeout: true,
} satisfies Record<FaultCode, true>) as FaultCode[];

const loggedFor = async (error: unknown) => {
  logged.length = 0;
  await call(failing(error));
  return JSON.parse(logged[0] ?? "{}");
};

for (const code of FAULTS) {
  test(`the log line of ${code} has the request id and the cause`, async () => {
    const cause = new Error("the connection ended", { cause: new TypeError("ECONNRESET") });
    const line = await loggedFor(new ApiError(code, "Something failed.", { cause }));
    assert.is(line.request_id, "r-1");
    assert.is(line.code, code);
    assert.match(line.causes[0], "Error: the connection ended");
    assert.match(line.causes[1], "TypeError: ECONNRESET");
  });
}

test("answers that are not the caller's fault are counted by code, others are not", async () => {
  const counted = async (error: unknown) => {
    logged.length = 0;
    await call(failing(error));
    return logged
      .map((line) => JSON.parse(line))
      .flatMap(({ Code, Project, Faults }) => (Code ? [[Project, Code, Faults]] : []));
  };
  assert.equal(await counted(new TypeError("bug")), [["shop", "internal", 1]]);
  assert.equal(await counted(new ApiError("throttled", "Wait.")), [["shop", "throttled", 1]]);
  assert.equal(await counted(new ApiError("timeout", "Late.", { cause: "x" })), [["shop", "timeout", 1]]);
  assert.equal(await counted(new ApiError("invalid_request", "No.")), []);
});

test("a cause may be text, a value, or several; each is one line of the log", async () => {
  const several = [new Error("a"), "status 503", { type: "b" }, new AggregateError([new Error("c")], "d")];
  const { causes } = await loggedFor(new ApiError("upstream_failed", "x", { cause: several }));
  assert.equal(causes, ["Error: a", "status 503", "{ type: 'b' }", "AggregateError: d", "Error: c"]);
});

test("an error with another message keeps code, issues and headers, and has the original as its cause", () => {
  const issues = [{ path: "a", message: "b" }];
  const original = new ApiError("throttled", "Wait.", {
    headers: { "retry-after": "3" },
    issues,
    shown: { type: "t" },
  });
  const { code, issues: same, headers, shown, cause } = original.withMessage("Wait. Nothing has been written.");
  assert.equal(
    { code, same, headers, shown },
    { code: "throttled", same: issues, headers: original.headers, shown: { type: "t" } },
  );
  assert.is(cause, original);
});

test("what is the caller's fault is not logged", async () => {
  logged.length = 0;
  await call(failing(new ApiError("not_found", "no")));
  assert.equal(logged, []);
});

test("a long answer is compressed for those who accept gzip", async () => {
  const body = JSON.stringify({ text: "a".repeat(1_100_000) });
  const accepting = await call(replying({ status: 200, body }), { headers: { "accept-encoding": "br, gzip;q=0.5" } });
  assert.is(header(accepting, "content-encoding"), "gzip");
  assert.is(accepting.isBase64Encoded, true);
  assert.is(gunzipSync(Buffer.from(accepting.body, "base64")).toString(), body);
  for (const encoding of ["", "identity", "gzip;q=0"]) {
    const other = await call(replying({ status: 200, body }), { headers: { "accept-encoding": encoding } });
    assert.is(header(other, "content-encoding"), undefined);
    assert.is(other.body, body);
  }
});

test("an answer is measured as the serialized result: escapes count", async () => {
  const fits = MAX_RESULT_BYTES - 1_000;
  assert.is((await call(replying({ status: 200, body: "a".repeat(fits) }))).statusCode, 200);
  const quotes = await call(replying({ status: 200, body: '"'.repeat(fits / 2 + 1_000) }));
  assert.is(quotes.statusCode, 500);
  assert.is(JSON.parse(quotes.body).error.code, "response_too_large");
});

test("bytes that are no text are handed over in base64", async () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x00]);
  const result = await call(replying({ status: 200, headers: { "content-type": "application/cbor" }, body: bytes }));
  assert.is(result.isBase64Encoded, true);
  assert.equal(Buffer.from(result.body, "base64"), bytes);
});

const echo = jsonHandler({
  api,
  schema: v.strictObject({ a: v.number() }),
  splitHint: "Split it.",
  handle: async ({ body, text, headers }) => ({
    status: 200,
    body: JSON.stringify({ body, text, type: headers["content-type"] }),
  }),
});

test("a JSON body comes parsed and as its own text, from base64 too", async () => {
  const text = '{ "a": 1.0 }';
  const encoded = { body: Buffer.from(text).toString("base64"), isBase64Encoded: true };
  for (const given of [{ body: text }, encoded]) {
    assert.equal(JSON.parse((await call(echo, given)).body), { body: { a: 1 }, text, type: "application/json" });
  }
});

test("names every issue, and what a missing, wrong and unknown field is", async () => {
  const result = await call(echo, { body: '{"a":"x","b":1}' });
  assert.is(result.statusCode, 400);
  assert.equal(JSON.parse(result.body).error.issues, [
    { path: "a", message: 'must be a number, got "x"' },
    { path: "b", message: "is not a known field" },
  ]);
  const missing = JSON.parse((await call(echo, { body: "{}" })).body);
  assert.equal(missing.error.issues, [{ path: "a", message: "is required" }]);
  assert.is(missing.error.message, "The request is not valid: a is required.");
});

test("long bodies have the same content types and errors as short ones", async () => {
  const long = `{"a":1,"pad":"${"x".repeat(70_000)}"`;
  const broken = await call(echo, { body: long });
  assert.is(broken.statusCode, 400);
  assert.match(JSON.parse(broken.body).error.message, "The body is not valid JSON");
  const unknown = JSON.parse((await call(echo, { body: `${long}}` })).body).error;
  assert.equal(unknown.issues, [{ path: "pad", message: "is not a known field" }]);
  const type = await call(echo, { body: `${long}}`, headers: { "content-type": "text/plain" } });
  assert.is(type.statusCode, 415);
});

test("a long wrong value is shown by its beginning", async () => {
  const { error } = JSON.parse((await call(echo, { body: JSON.stringify({ a: "y".repeat(100_000) }) })).body);
  assert.ok(error.message.length < 300);
});

const anything = jsonHandler({
  api,
  schema: v.unknown(),
  handle: async ({ text }) => ({ status: 200, body: text }),
});

for (const [size, pad] of [
  ["short", ""],
  ["long", "x".repeat(70_000)],
] as const) {
  for (const key of ['"__proto__"', '"__pr\\u006Fto__"', '"\\u005f\\u005fproto__" \n']) {
    test(`a ${size} body with the key ${JSON.stringify(key)} is refused, however deep it stands`, async () => {
      const result = await call(anything, { body: `{"pad":"${pad}","a":[{${key}:{}}]}` });
      assert.is(result.statusCode, 400);
      assert.match(JSON.parse(result.body).error.message, 'a key "__proto__", which is not allowed');
    });
  }

  for (const given of [
    '"a":"__proto__"',
    '"a":"\\"__proto__\\":"',
    '"a":["__proto__"]',
    '"constructor":{"prototype":1}',
    '"\\"__proto__":1',
  ]) {
    test(`a ${size} body with ${given} is accepted`, async () => {
      assert.is((await call(anything, { body: `{"pad":"${pad}",${given}}` })).statusCode, 200);
    });
  }
}

test("the case of a header's name does not matter", async () => {
  const headers = { "CONTENT-TYPE": "application/json", "Accept-ENCODING": "gzip" };
  const long = replying({ status: 200, body: JSON.stringify("x".repeat(2_000_000)) });
  assert.is((await call(long, { headers })).headers?.["content-encoding"], "gzip");
  for (const body of ['{"a":1}', '{"a":"constructor"}']) {
    assert.not.equal((await call(echo, { headers, body })).statusCode, 415);
  }
});

const routes = [
  { methods: ["POST", "PUT"], path: "/x", family: "one", access: ["search"], summary: "", description: "" },
  {
    methods: ["GET"],
    path: "/raw/{proxy+}",
    family: "two",
    access: ["search"],
    nativeErrors: true,
    summary: "",
    description: "",
  },
] as const;
const routed = (loads: string[] = []) =>
  createRouter({
    api,
    routes,
    load: async (family) => {
      loads.push(family);
      if (loads.length === 1 && family === "two") throw new Error("cannot load");
      const handler = replying({ status: 200, body: JSON.stringify(family) });
      return { "/x": handler, "/raw/{proxy+}": handler };
    },
  });

test("a family is loaded by its first request, once", async () => {
  const loads: string[] = [];
  const router = routed(loads);
  await call(router);
  assert.is((await call(router, { path: "/x/" })).body, '"one"');
  assert.equal(loads, ["one"]);
});

test("a family that cannot be loaded is 500 in our shape, and is tried again", async () => {
  const router = routed();
  const get = { httpMethod: "GET", path: "/raw/a/b" };
  assert.is(JSON.parse((await call(router, get)).body).error.code, "internal");
  assert.is((await call(router, get)).body, '"two"');
});

test("unknown paths are 404, other methods 405 with allow, OPTIONS a preflight", async () => {
  const router = routed();
  assert.is((await call(router, { path: "/y" })).statusCode, 404);
  assert.is((await call(router, { path: "/raw/", httpMethod: "GET" })).statusCode, 404);
  const method = await call(router, { httpMethod: "DELETE" });
  assert.is(method.statusCode, 405);
  assert.is(header(method, "allow"), "POST, PUT");
  assert.is(JSON.parse(method.body).error.type, undefined);
  const native = await call(router, { path: "/raw/a", httpMethod: "DELETE" });
  assert.is(JSON.parse(native.body).error.type, "method_not_allowed");
  const preflight = await call(router, { httpMethod: "OPTIONS", headers: { Origin: "https://a.example" } });
  assert.is(preflight.statusCode, 204);
  assert.is(header(preflight, "access-control-allow-methods"), "POST, PUT");
  assert.is(header(preflight, "access-control-allow-origin"), "https://a.example");
  const other = await call(router, { httpMethod: "OPTIONS", headers: { origin: "https://b.example" } });
  assert.is(header(other, "access-control-allow-origin"), undefined);
});

test.run();
