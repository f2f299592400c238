import { createHash } from "node:crypto";
import { toJsonSchema } from "@valibot/to-json-schema";
import { methodsOf, preflight } from "../../lib/infrastructure/preflight.ts";
import type { Authorization } from "../../lib/platform/http/access.ts";
import { type ErrorCode, nativeError } from "../../lib/platform/http/error.ts";
import type { Route } from "../../lib/platform/http/route.ts";
import { credentialHeaders } from "../../lib/settings/access.ts";
import type { Api } from "../../lib/settings/api.ts";

/** API Gateway's default limit; the functions answer within 28 s. */
const INTEGRATION_TIMEOUT_MS = 29_000;

interface ApiBodyOptions {
  title: string;
  routes: readonly Route[];
  /** Returns the invocation ARN of the alias of a path's function. */
  invocationUri: (path: string) => string;
  /** The security scheme of every method but OPTIONS, by its name. */
  schemes: Readonly<Record<string, object>>;
  /** Settings that API Gateway's own responses depend on. */
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

interface Refusal {
  status: number;
  code: ErrorCode;
  message: string;
  retryAfter?: number;
}

const FORBIDDEN: Readonly<Record<Authorization, Refusal>> = {
  api_key: { status: 403, code: "forbidden", message: "The API key is missing or wrong." },
  iam: {
    status: 403,
    code: "forbidden",
    message:
      "The request has no valid signature (AWS Signature Version 4, service execute-api), or IAM does not allow its caller execute-api:Invoke.",
  },
  lambda: {
    status: 403,
    code: "forbidden",
    message: "The authorizer does not let this request through, or a header that it needs is missing.",
  },
};
const NOT_FOUND: Refusal = { status: 404, code: "not_found", message: "There is no such endpoint." };
const BAD_REQUEST: Refusal = { status: 400, code: "invalid_request", message: "The request is not valid." };
const INTERNAL: Refusal = {
  status: 500,
  code: "internal",
  message: "Something went wrong in the gateway; use the request id to find it in the log.",
};
/**
 * The response if the function gave no answer, or none that API Gateway can pass on: a write may have been executed.
 * The status is 500, because clients retry 502 to 504. Gateway responses apply to all methods and paths of an API, so
 * reads get this status too.
 */
const UNANSWERED: Refusal = {
  status: 500,
  code: "outcome_unknown",
  message:
    "This request was not answered; whether it was executed is unknown. A request that only reads can be repeated.",
};

/** API Gateway's own errors by response type. Source: "Gateway response types", API Gateway Developer Guide. */
const refusals = (authorization: Authorization): Readonly<Record<string, Refusal>> => ({
  ACCESS_DENIED: FORBIDDEN[authorization],
  API_CONFIGURATION_ERROR: INTERNAL,
  AUTHORIZER_CONFIGURATION_ERROR: INTERNAL,
  AUTHORIZER_FAILURE: INTERNAL,
  BAD_REQUEST_BODY: BAD_REQUEST,
  BAD_REQUEST_PARAMETERS: BAD_REQUEST,
  EXPIRED_TOKEN: FORBIDDEN[authorization],
  INTEGRATION_FAILURE: UNANSWERED,
  INTEGRATION_TIMEOUT: UNANSWERED,
  INVALID_API_KEY: FORBIDDEN[authorization],
  INVALID_SIGNATURE: FORBIDDEN[authorization],
  // The answer to paths and methods that the API does not have; with IAM also to requests that are not signed.
  MISSING_AUTHENTICATION_TOKEN: authorization === "iam" ? FORBIDDEN.iam : NOT_FOUND,
  QUOTA_EXCEEDED: {
    status: 429,
    code: "throttled",
    message: "The quota of this API key is used up for today.",
    retryAfter: 3_600,
  },
  REQUEST_TOO_LARGE: {
    status: 413,
    code: "payload_too_large",
    message: "The body is too large: at most 4 MiB. Send it in several requests.",
  },
  RESOURCE_NOT_FOUND: NOT_FOUND,
  THROTTLED: { status: 429, code: "throttled", message: "Too many requests; try again later.", retryAfter: 1 },
  UNAUTHORIZED: FORBIDDEN[authorization],
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    code: "unsupported_media_type",
    message: "The content type must be application/json.",
  },
  WAF_FILTERED: { status: 403, code: "forbidden", message: "The request was refused by the firewall." },
  // Any other error keeps its status.
  DEFAULT_4XX: BAD_REQUEST,
  // Also used if the function fails, times out or returns a malformed answer, where API Gateway's own status is 502.
  DEFAULT_5XX: UNANSWERED,
});

/**
 * Returns the gateway responses of an API in the error shape of both services, including the fields that OpenSearch
 * clients print.
 */
export function gatewayResponses(
  authorization: Authorization,
  allowOrigins?: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(refusals(authorization)).map(([type, refusal]) => [
      type,
      gatewayResponse(type, refusal, allowOrigins),
    ]),
  );
}

function gatewayResponse(type: string, { status, code, message, retryAfter }: Refusal, origins?: readonly string[]) {
  // API Gateway inserts the id between these quotes.
  const body = JSON.stringify({
    error: { code, message, ...nativeError(code, message), request_id: "$context.requestId" },
    // DEFAULT_4XX keeps a status that only API Gateway knows.
    ...(type !== "DEFAULT_4XX" && { status }),
  });
  return {
    ...(type !== "DEFAULT_4XX" && { statusCode: status }),
    responseTemplates: { "application/json": body },
    responseParameters: {
      "gatewayresponse.header.x-request-id": "context.requestId",
      ...(retryAfter !== undefined && { "gatewayresponse.header.retry-after": `'${retryAfter}'` }),
      ...corsParameters(origins),
    },
  };
}

/**
 * Returns the CORS parameters, without which a browser hides these errors from pages of allowed origins. API Gateway
 * cannot select one of several origins, so it repeats the caller's origin. Pages of other origins can then read these
 * errors too, but they contain only the texts above.
 */
function corsParameters(origins?: readonly string[]): Record<string, string> {
  if (!origins) return {};
  const [only, another] = origins;
  const value = another === undefined ? `'${only}'` : "method.request.header.origin";
  return {
    "gatewayresponse.header.access-control-allow-origin": value,
    "gatewayresponse.header.access-control-expose-headers": "'x-request-id, retry-after'",
    ...(value !== "'*'" && { "gatewayresponse.header.vary": "'origin'" }),
  };
}
