import { createHash } from "node:crypto";
import { toJsonSchema } from "@valibot/to-json-schema";
import type { Route } from "../../lib/core/http/route.ts";
import { gatewayResponses } from "./gateway-responses.ts";

/** The longest that API Gateway waits by default; the functions answer after 28 s. */
const INTEGRATION_TIMEOUT_MS = 29_000;

export interface ApiBodyOptions {
  title: string;
  routes: readonly Route[];
  /** Of the function's alias. */
  invocationUri: string;
  /** Origins that browsers may call from. */
  allowOrigins?: readonly string[] | undefined;
}

/**
 * The REST API as one OpenAPI document: `ANY` on each route, on the root and on everything else with the key required,
 * `OPTIONS` without, so that 404, 405 and preflights are the router's.
 */
export function apiBody({ title, routes, invocationUri, allowOrigins }: ApiBodyOptions) {
  const paths = [...new Set(["/", "/{proxy+}", ...routes.map(({ path }) => path)])].sort();
  return {
    openapi: "3.0.1",
    info: { title, version: "1" },
    paths: Object.fromEntries(paths.map((path) => [path, pathItem(path, invocationUri)])),
    components: { securitySchemes: { api_key: { type: "apiKey", name: "x-api-key", in: "header" } } },
    "x-amazon-apigateway-api-key-source": "HEADER",
    "x-amazon-apigateway-binary-media-types": ["*/*"],
    "x-amazon-apigateway-gateway-responses": gatewayResponses(allowOrigins),
  };
}

/**
 * What a deployment of an API is made of. The schemas of requests are not in the body, since the functions check them;
 * they are part of what a version of the API promises all the same.
 */
export function apiFingerprint(body: unknown, routes: readonly Route[]): string {
  const schemas = routes.map(({ methods, path, request }) => [
    path,
    methods,
    request && toJsonSchema(request, { typeMode: "input", errorMode: "ignore" }),
  ]);
  return createHash("sha256")
    .update(JSON.stringify([body, schemas]))
    .digest("hex");
}

function pathItem(path: string, uri: string) {
  const parameters = [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const method = {
    ...(parameters.length > 0 && { parameters }),
    responses: { default: { description: "The function's answer" } },
    "x-amazon-apigateway-integration": {
      type: "aws_proxy",
      httpMethod: "POST",
      uri,
      passthroughBehavior: "when_no_match",
      timeoutInMillis: INTEGRATION_TIMEOUT_MS,
    },
  };
  return { "x-amazon-apigateway-any-method": { ...method, security: [{ api_key: [] }] }, options: method };
}
