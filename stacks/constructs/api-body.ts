import { createHash } from "node:crypto";
import { toJsonSchema } from "@valibot/to-json-schema";
import type { Route } from "../../lib/core/http/route.ts";
import { gatewayResponses } from "./gateway-responses.ts";

/** API Gateway's default limit; the functions answer within 28 s. */
const INTEGRATION_TIMEOUT_MS = 29_000;

export interface ApiBodyOptions {
  title: string;
  routes: readonly Route[];
  /** Invocation ARN of the function's alias. */
  invocationUri: string;
  /** Origins whose pages may call the API. */
  allowOrigins?: readonly string[] | undefined;
}

/**
 * Returns the REST API as one OpenAPI document: `ANY`, with the key required, on each route, the root and every other
 * path; `OPTIONS` without a key. Thus the router itself answers 404, 405 and preflights.
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
 * Returns what identifies a deployment of an API. Includes the request schemas: the functions check them, so they are
 * not in the body, but they are part of the API's contract.
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
