import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { bytesHandler, jsonHandler, MAX_BODY_BYTES } from "../../../../lib/platform/http/body-handlers.ts";
import { suite } from "../../../suite.ts";
import { api, call, replying } from "./calls.ts";

const test = suite("lib/platform/http request bodies");

const echo = bytesHandler(api, async (_event, { bytes }) => ({ status: 200, body: bytes }), "Split it.");

/** Sends bytes as API Gateway passes them. */
async function send(bytes: Buffer, headers: Record<string, string> = {}) {
  const result = await call(echo, { headers, body: bytes.toString("base64"), isBase64Encoded: true });
  const body = Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8");
  const error = result.statusCode < 400 ? undefined : JSON.parse(body.toString()).error;
  return { status: result.statusCode, headers: result.headers, body, error };
}

const TEXT = Buffer.from('{"text":"Żółta łódź 🚣"}');

for (const [encoding, bytes] of [
  ["gzip", gzipSync(TEXT)],
  ["GZIP", gzipSync(TEXT)],
  ["x-gzip", gzipSync(TEXT)],
  ["deflate", deflateSync(TEXT)],
  ["br", brotliCompressSync(TEXT)],
  ["identity", TEXT],
] as const) {
  test(`decodes a body with the content encoding ${encoding}`, async () => {
    const { status, body } = await send(bytes, { "Content-Encoding": encoding });
    assert.is(status, 200);
    assert.equal(body, TEXT);
  });
}

test("leaves an empty body empty, whatever encoding its header names", async () => {
  const { status, body } = await send(Buffer.alloc(0), { "content-encoding": "gzip" });
  assert.equal([status, body.length], [200, 0]);
});

for (const encoding of ["zstd", "gzip, br", "compress"]) {
  test(`refuses the content encoding ${encoding} with 415 and names the supported ones`, async () => {
    const { status, error, headers } = await send(TEXT, { "content-encoding": encoding });
    assert.equal([status, error.code], [415, "unsupported_media_type"]);
    assert.is(headers?.["accept-encoding"], "gzip, deflate, br");
  });
}

const NO_GZIP = "The body is not valid gzip";
const NO_UTF8 = "The body is not valid UTF-8.";
const HALF = "half of a surrogate pair";

for (const [what, bytes, message, encoding] of [
  ["a gzip body that is no gzip", TEXT, NO_GZIP, "gzip"],
  ["a gzip body that is cut off", gzipSync(TEXT).subarray(0, -9), NO_GZIP, "gzip"],
  [
    "a gzip body with a wrong checksum",
    Buffer.concat([gzipSync(TEXT).subarray(0, -8), Buffer.alloc(8)]),
    ...[NO_GZIP, "gzip"],
  ],
  ["a stray continuation byte", Buffer.from([0x22, 0x80, 0x22]), NO_UTF8],
  ["a cut character", Buffer.from([0x22, 0xc5, 0x22]), NO_UTF8],
  ["an overlong slash", Buffer.from([0x22, 0xc0, 0xaf, 0x22]), NO_UTF8],
  ["a surrogate in bytes", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), NO_UTF8],
  ...['"\\ud83d"', '"\\uDE00"', '"\\ud83d\\ud83d\\ude00"', '"\\ude00\\ud83d"', '"\\\\\\ud83d"', '"a\\uD83Dé"'].map(
    (text): [string, Buffer, string] => [`the lone surrogate in ${text}`, Buffer.from(text), HALF],
  ),
] as ReadonlyArray<[what: string, bytes: Buffer, message: string, encoding?: string]>) {
  test(`refuses ${what} with 400`, async () => {
    const headers = { "content-type": "application/json", ...(encoding && { "content-encoding": encoding }) };
    const { status, error } = await send(bytes, headers);
    assert.is(status, 400);
    assert.match(error.message, message);
  });
}

test("accepts a body of exactly the limit once decoded and refuses one byte more", async () => {
  const fits = await send(gzipSync(Buffer.alloc(MAX_BODY_BYTES, "a")), { "content-encoding": "gzip" });
  assert.is(fits.status, 200);
  const over = await send(gzipSync(Buffer.alloc(MAX_BODY_BYTES + 1, "a")), { "content-encoding": "gzip" });
  assert.is(over.status, 413);
  assert.match(over.error.message, "is larger once decoded, at most 4194304 are accepted. Split it.");
});

for (const [encoding, bytes] of [
  ["deflate", deflateSync(Buffer.alloc(MAX_BODY_BYTES + 1))],
  ["br", brotliCompressSync(Buffer.alloc(MAX_BODY_BYTES + 1))],
] as const) {
  test(`refuses a ${encoding} body that is over the limit once decoded`, async () => {
    assert.is((await send(bytes, { "content-encoding": encoding })).status, 413);
  });
}

test("refuses a gzip bomb of 1 GB without inflating it", async () => {
  const member = gzipSync(Buffer.alloc(1024 * 1024));
  const bomb = Buffer.concat(Array.from({ length: 1024 }, () => member));
  const peak = () => process.resourceUsage().maxRSS * 1024;
  const before = peak();
  assert.is((await send(bomb, { "content-encoding": "gzip" })).status, 413);
  const grown = peak() - before;
  assert.ok(grown < 100 * 1024 * 1024, `the bomb took ${grown} bytes of memory`);
});

for (const text of ['"\\ud83d\\ude00"', '"\\uD83D\\uDE00"', '"\\\\ud83d"', '"\\u00e9"', '"\\\\\\\\ud83d"']) {
  test(`accepts ${text}`, async () => {
    assert.is((await send(Buffer.from(text))).status, 200);
  });
}

for (const type of ["application/cbor", "application/smile", "application/vnd.opensearch+cbor;compatible-with=2"]) {
  test(`does not read ${type} as text`, async () => {
    const { status } = await send(Buffer.from([0xbf, 0x61, 0x61, 0xff]), { "content-type": type });
    assert.is(status, 200);
  });
}

// JSON bodies

const echoJson = jsonHandler({
  api,
  schema: v.strictObject({ a: v.number() }),
  splitHint: "Split it.",
  handle: async ({ body, text, headers }) => ({
    status: 200,
    body: JSON.stringify({ body, text, type: headers["content-type"] }),
  }),
});

test("passes on a JSON body parsed and as text, even from base64", async () => {
  const text = '{ "a": 1.0 }';
  const encoded = { body: Buffer.from(text).toString("base64"), isBase64Encoded: true };
  for (const given of [{ body: text }, encoded]) {
    assert.equal(JSON.parse((await call(echoJson, given)).body), { body: { a: 1 }, text, type: "application/json" });
  }
});

test("reports every issue of missing, wrong and unknown fields", async () => {
  const result = await call(echoJson, { body: '{"a":"x","b":1}' });
  assert.is(result.statusCode, 400);
  assert.equal(JSON.parse(result.body).error.issues, [
    { path: "a", message: 'must be a number, got "x"' },
    { path: "b", message: "is not a known field" },
  ]);
  const missing = JSON.parse((await call(echoJson, { body: "{}" })).body);
  assert.equal(missing.error.issues, [{ path: "a", message: "is required" }]);
  assert.is(missing.error.message, "The request is not valid: a is required.");
});

test("checks long bodies for the same content types and errors as short ones", async () => {
  const long = `{"a":1,"pad":"${"x".repeat(70_000)}"`;
  const broken = await call(echoJson, { body: long });
  assert.is(broken.statusCode, 400);
  assert.match(JSON.parse(broken.body).error.message, "The body is not valid JSON");
  const unknown = JSON.parse((await call(echoJson, { body: `${long}}` })).body).error;
  assert.equal(unknown.issues, [{ path: "pad", message: "is not a known field" }]);
  const type = await call(echoJson, { body: `${long}}`, headers: { "content-type": "text/plain" } });
  assert.is(type.statusCode, 415);
});

test("shows only the beginning of a long wrong value", async () => {
  const { error } = JSON.parse((await call(echoJson, { body: JSON.stringify({ a: "y".repeat(100_000) }) })).body);
  assert.ok(error.message.length < 300);
});

test("refuses an array as a body", async () => {
  const { statusCode, body } = await call(echoJson, { body: "[]" });
  assert.equal([statusCode, JSON.parse(body).error.message], [400, "The body is an array; send a JSON object."]);
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
    assert.not.equal((await call(echoJson, { headers, body })).statusCode, 415);
  }
});

test.run();
