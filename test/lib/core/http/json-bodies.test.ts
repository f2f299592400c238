import * as assert from "uvu/assert";
import * as v from "valibot";
import { jsonHandler } from "../../../../lib/core/http/json-handler.ts";
import { suite } from "../../../suite.ts";
import { api, call, replying } from "./calls.ts";

const test = suite("lib/core/http JSON bodies");

const echo = jsonHandler({
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
    assert.equal(JSON.parse((await call(echo, given)).body), { body: { a: 1 }, text, type: "application/json" });
  }
});

test("reports every issue of missing, wrong and unknown fields", async () => {
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

test("checks long bodies for the same content types and errors as short ones", async () => {
  const long = `{"a":1,"pad":"${"x".repeat(70_000)}"`;
  const broken = await call(echo, { body: long });
  assert.is(broken.statusCode, 400);
  assert.match(JSON.parse(broken.body).error.message, "The body is not valid JSON");
  const unknown = JSON.parse((await call(echo, { body: `${long}}` })).body).error;
  assert.equal(unknown.issues, [{ path: "pad", message: "is not a known field" }]);
  const type = await call(echo, { body: `${long}}`, headers: { "content-type": "text/plain" } });
  assert.is(type.statusCode, 415);
});

test("shows only the beginning of a long wrong value", async () => {
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

test.run();
