import { gunzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import { ApiError, type FaultCode } from "../../../../lib/platform/http/error.ts";
import { MAX_RESULT_BYTES, plainHandler } from "../../../../lib/platform/http/middleware.ts";
import { createRouter } from "../../../../lib/platform/http/router.ts";
import { suite } from "../../../suite.ts";
import { api, call, failing, header, logged, replying } from "./calls.ts";

const test = suite("lib/platform/http handlers");

test("an answer is JSON with the request id", async () => {
  const result = await call(replying({ status: 200, body: "{}" }));
  assert.is(result.statusCode, 200);
  assert.is(header(result, "content-type"), "application/json; charset=utf-8");
  assert.is(header(result, "x-request-id"), "r-1");
});

test("an allowed origin is named back, and caches keep the answers of origins apart", async () => {
  const cors = async (allow_origins: string[], origin?: string) => {
    const handler = plainHandler({ ...api, cors: { allow_origins } }, async () => ({ status: 200, body: "{}" }));
    const result = await call(handler, { headers: origin === undefined ? {} : { Origin: origin } });
    return [header(result, "access-control-allow-origin"), header(result, "vary")];
  };
  assert.equal(await cors(["https://a.example", "https://b.example"], "https://b.example"), [
    "https://b.example",
    "origin",
  ]);
  assert.equal(await cors(["https://a.example"], "https://b.example"), [undefined, undefined]);
  assert.equal(await cors(["https://a.example"]), [undefined, undefined]);
  assert.equal(await cors(["*"], "https://b.example"), ["*", undefined]);
});

test("an ApiError is shown completely, with its headers", async () => {
  const issues = [{ path: "a.b", message: "is odd" }];
  const error = new ApiError("throttled", "Wait.", { headers: { "retry-after": "3" }, issues, shown: { type: "t" } });
  const result = await call(failing(error));
  assert.is(result.statusCode, 429);
  assert.is(header(result, "retry-after"), "3");
  assert.equal(JSON.parse(result.body), {
    error: { code: "throttled", message: "Wait.", issues, cause: { type: "t" }, request_id: "r-1" },
  });
});

test("a bug is 500 without details, and is logged completely", async () => {
  logged.length = 0;
  const result = await call(failing(new TypeError("password=hunter2")));
  assert.is(result.statusCode, 500);
  assert.not.match(result.body, "hunter2");
  assert.is(JSON.parse(result.body).error.code, "internal");
  assert.match(logged[0] ?? "", "hunter2");
  assert.match(logged[0] ?? "", "handlers.test.ts");
});

/** Every code of a fault. `satisfies` makes the compiler report a missing one. */
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

test("a cause may be text, a value, or several, and each is one entry of the log line", async () => {
  const several = [new Error("a"), "status 503", { type: "b" }, new AggregateError([new Error("c")], "d")];
  const { causes } = await loggedFor(new ApiError("upstream_failed", "x", { cause: several }));
  assert.equal(causes, ["Error: a", "status 503", "{ type: 'b' }", "AggregateError: d", "Error: c"]);
});

test("withMessage keeps code, issues and headers, and sets the original error as the cause", () => {
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

test("an error that is the caller's fault is not logged", async () => {
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

test("a text is as long as its bytes, not its characters, for the question whether to compress it", async () => {
  const body = JSON.stringify({ text: "é".repeat(600_000) });
  const accepting = await call(replying({ status: 200, body }), { headers: { "accept-encoding": "gzip" } });
  assert.is(header(accepting, "content-encoding"), "gzip");
});

test("an answer is measured by its serialized result, including escapes", async () => {
  const fits = MAX_RESULT_BYTES - 1_000;
  assert.is((await call(replying({ status: 200, body: "a".repeat(fits) }))).statusCode, 200);
  const quotes = await call(replying({ status: 200, body: '"'.repeat(fits / 2 + 1_000) }));
  assert.is(quotes.statusCode, 500);
  assert.is(JSON.parse(quotes.body).error.code, "response_too_large");
  // A control character takes six bytes; base64 takes four for three and escapes nothing.
  const statuses = [
    Buffer.alloc(1_040_000),
    Buffer.alloc(1_060_000),
    Buffer.alloc(4_700_000, 0xff),
    Buffer.alloc(4_730_000, 0xff),
  ].map(async (body) => (await call(replying({ status: 200, body }))).statusCode);
  assert.equal(await Promise.all(statuses), [200, 500, 200, 500]);
});

test("binary answers are returned in base64", async () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x00]);
  const result = await call(replying({ status: 200, headers: { "content-type": "application/cbor" }, body: bytes }));
  assert.is(result.isBase64Encoded, true);
  assert.equal(Buffer.from(result.body, "base64"), bytes);
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

test("a family is loaded once, by its first request", async () => {
  const loads: string[] = [];
  const router = routed(loads);
  await call(router);
  assert.is((await call(router, { path: "/x/" })).body, '"one"');
  assert.equal(loads, ["one"]);
});

test("a family that cannot be loaded is 500 with an error body, and loading is retried", async () => {
  const router = routed();
  const get = { httpMethod: "GET", path: "/raw/a/b" };
  assert.is(JSON.parse((await call(router, get)).body).error.code, "internal");
  assert.is((await call(router, get)).body, '"two"');
});

test("unknown paths are 404, and other methods are 405 with an allow header", async () => {
  const router = routed();
  assert.is((await call(router, { path: "/y" })).statusCode, 404);
  assert.is((await call(router, { path: "/raw/", httpMethod: "GET" })).statusCode, 404);
  const method = await call(router, { httpMethod: "DELETE" });
  assert.is(method.statusCode, 405);
  assert.is(header(method, "allow"), "POST, PUT");
  assert.is(JSON.parse(method.body).error.type, undefined);
  const native = await call(router, { path: "/raw/a", httpMethod: "DELETE" });
  assert.is(JSON.parse(native.body).error.type, "method_not_allowed");
  // The OpenSearch clients for Go and Java read no error without it.
  assert.equal([JSON.parse(native.body).status, JSON.parse(method.body).status], [405, undefined]);
});

test.run();
