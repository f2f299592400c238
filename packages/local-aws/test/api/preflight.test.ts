// API Gateway's responses to OPTIONS: a Velocity engine evaluates the deployed templates.

import { methodsOf, preflight } from "@relevance/lib/infrastructure/preflight.ts";
import { ApiError } from "@relevance/lib/platform/http/error.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { mockAnswer } from "../../api/mock.ts";
import { ROUTES } from "./server.ts";

const test = suite("responses to OPTIONS");

const SHOPS = ["https://shop.example", "http://localhost:3000"];
const optionsOf = (allowOrigins: readonly string[]) =>
  preflight({ allowOrigins, credentialHeaders: ["x-api-key"], methods: ["POST"] });
const mockOf = (origins: readonly string[]) => optionsOf(origins)["x-amazon-apigateway-integration"];

const answer = (origins: readonly string[], headers: Record<string, string>): Record<string, unknown> => {
  const { status, headers: list, body } = mockAnswer(mockOf(origins), new Map(Object.entries(headers)));
  return { status, body, ...Object.fromEntries(list) };
};
const allowed = (origins: readonly string[], headers: Record<string, string>) =>
  answer(origins, headers)["access-control-allow-origin"];

test("lists what a page may send", () => {
  assert.equal(answer(SHOPS, { origin: "https://shop.example", "access-control-request-method": "POST" }), {
    status: 204,
    body: "",
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "x-api-key, content-type, x-client-id",
    "access-control-max-age": "600",
    "access-control-allow-origin": "https://shop.example",
    vary: "origin",
  });
});

test("allows only the configured origins, with the header's name in either case", () => {
  for (const origin of SHOPS) {
    assert.equal([allowed(SHOPS, { origin }), allowed(SHOPS, { Origin: origin })], [origin, origin]);
  }
  for (const origin of [
    "https://evil.example",
    "https://shop.example.evil.example",
    "https://shopXexample",
    "http://shop.example",
    "https://shop.example:8443",
    "HTTPS://SHOP.EXAMPLE",
    "null",
    "",
    '" || true || "',
    "$origin",
    "#set($context.responseOverride.header.access-control-allow-origin = 'x')",
  ]) {
    assert.is(allowed(SHOPS, { origin }), undefined, origin);
  }
  assert.is(allowed(SHOPS, {}), undefined);
});

test("returns a single origin, or any, as a literal", () => {
  assert.is(allowed(["https://shop.example"], { origin: "https://evil.example" }), "https://shop.example");
  const { vary: _, ...one } = answer(["https://shop.example"], {});
  assert.equal(answer(["*"], { origin: "https://a.example" }), { ...one, "access-control-allow-origin": "*" });
});

test("declares each mapped header in the method response, which API Gateway requires", () => {
  for (const origins of [["*"], SHOPS]) {
    const { responses, "x-amazon-apigateway-integration": integration } = optionsOf(origins);
    const mapped = Object.keys(integration.responses.default.responseParameters);
    assert.equal(
      mapped,
      Object.keys(responses[204].headers).map((name) => `method.response.header.${name}`),
    );
  }
});

test("fails like API Gateway on bytes, on a content type without a template, and on an unknown status", () => {
  const mock = mockOf(["*"]);
  const { default: response } = mock.responses;
  const codeOf = (broken: Parameters<typeof mockAnswer>[0], headers: Record<string, string> = {}) => {
    try {
      return mockAnswer(broken, new Map(Object.entries(headers))).status;
    } catch (error) {
      return error instanceof ApiError ? error.code : error;
    }
  };
  assert.is(codeOf(mock, { "Content-Type": "text/plain" }), "unsupported_media_type");
  assert.is(codeOf(mock, { "content-type": "application/json; charset=utf-8" }), 204);
  assert.is(codeOf({ ...mock, contentHandling: undefined }), "internal");
  assert.is(codeOf({ ...mock, responses: { default: { ...response, contentHandling: undefined } } }), "internal");
  assert.is(codeOf({ ...mock, requestTemplates: { "application/json": '{"statusCode": 200}' } }), "internal");
});

test("allows the methods of a resource's routes, and all methods for the catch-all resource", () => {
  const [first, second] = ROUTES;
  assert.ok(first && second);
  const routes = [first, { ...second, methods: ["GET", "DELETE"] as const }, { ...second, methods: ["PUT"] as const }];
  assert.equal(methodsOf(routes, "/application/search"), ["POST"]);
  assert.equal(methodsOf(routes, "/raw-backend/{proxy+}"), ["GET", "DELETE", "PUT"]);
  assert.equal(methodsOf(routes, "/{proxy+}"), ["POST", "GET", "DELETE", "PUT"]);
});

test.run();
