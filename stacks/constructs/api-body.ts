import { createHash } from "node:crypto";
import { toJsonSchema } from "@valibot/to-json-schema";
import { credentialHeaders } from "../../lib/config/access.ts";
import type { Api } from "../../lib/config/api.ts";
import type { Route } from "../../lib/core/http/route.ts";
import { methodsOf, preflight } from "../../lib/infrastructure/preflight.ts";
import { gatewayResponses } from "./gateway-responses.ts";

/** API Gateway's default limit; the functions answer within 28 s. */
const INTEGRATION_TIMEOUT_MS = 29_000;

export interface ApiBodyOptions {
  title: string;
  routes: readonly Route[];
  /** Returns the invocation ARN of the alias of a path's function. */
  invocationUri: (path: string) => string;
  /** The security scheme of every method but OPTIONS, by its name. */
  schemes: Readonly<Record<string, object>>;
  /** What API Gateway's own answers depend on. */
  api: Pick<Api, "authorization" | "lambda_authorizer" | "cors">;
}

/**
 * Returns the REST API as one OpenAPI document: `ANY`, for authorized callers, on each route, the root and every other
 * path, so that the router itself answers 404 and 405. With `cors` every path has an `OPTIONS` of its own, for everyone.
 */
export function apiBody({ title, routes, invocationUri, schemes, api }: ApiBodyOptions) {
  const paths = [...new Set(["/", "/{proxy+}", ...routes.map(({ path }) => path)])].sort();
  const security = Object.keys(schemes).map((name) => ({ [name]: [] }));
  const pathItem = (path: string) => ({
    "x-amazon-apigateway-any-method": { ...method(path, invocationUri(path)), security },
    ...(api.cors && {
      options: preflight({
        allowOrigins: api.cors.allow_origins,
        credentialHeaders: credentialHeaders(api),
        methods: methodsOf(routes, path),
      }),
    }),
  });
  return {
    openapi: "3.0.1",
    info: { title, version: "1" },
    paths: Object.fromEntries(paths.map((path) => [path, pathItem(path)])),
    components: { securitySchemes: schemes },
    "x-amazon-apigateway-api-key-source": "HEADER",
    "x-amazon-apigateway-binary-media-types": ["*/*"],
    "x-amazon-apigateway-gateway-responses": gatewayResponses(api.authorization, api.cors?.allow_origins),
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

function method(path: string, uri: string) {
  const parameters = [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  return {
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
}
