import type { Authorization } from "../../lib/core/http/access.ts";
import { type ErrorCode, nativeError } from "../../lib/core/http/error.ts";

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
