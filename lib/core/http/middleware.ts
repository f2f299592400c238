import type { MiddlewareObj } from "@middy/core";
import { ApiError } from "./error.ts";
import { headerOf, type ProxyEvent, type ProxyResult, type Reply, requestIdOf } from "./event.ts";
import { finish } from "./finish.ts";

/** What all endpoints of one API share. */
export interface ApiOptions {
  /** Origins that browsers may call from; `*` is any. */
  cors?: { allow_origins: readonly string[] } | undefined;
  /** Writes one line of JSON to the function's log. */
  log: (line: string) => void;
}

/** First of the stack, last to run: turns a reply, or the error answer, into the proxy result. */
export function responses({ cors }: ApiOptions): MiddlewareObj {
  const common = (event: ProxyEvent, requestId: string) => ({
    "x-request-id": requestId,
    ...corsHeaders(cors, event),
  });
  return {
    after: async (request) => {
      const event = request.event as ProxyEvent;
      const result = await finish(request.response as unknown as Reply, headerOf(event, "accept-encoding"));
      const requestId = requestIdOf(event, request.context);
      request.response = { ...result, headers: { ...result.headers, ...common(event, requestId) } };
    },
    onError: (request) => {
      const { statusCode, body, headers } = request.response as ProxyResult;
      const event = request.event as ProxyEvent;
      request.response = {
        statusCode,
        headers: {
          ...lowerCase(headers),
          "content-type": "application/json; charset=utf-8",
          ...common(event, requestIdOf(event, request.context)),
        },
        body,
        isBase64Encoded: false,
      };
    },
  };
}

/** Last of the stack, first to see an error: gives it the shape of both services, and logs what is not the caller's. */
export function errorShape({ log }: ApiOptions): MiddlewareObj {
  return {
    onError: (request) => {
      const requestId = requestIdOf(request.event as ProxyEvent, request.context);
      const error = apiErrorOf(request.error);
      if (error.statusCode >= 500) log(JSON.stringify(logEntry(error, requestId)));
      const { statusCode, headers } = error;
      const shown = Object.assign(new Error(error.body(requestId)), { statusCode, headers, expose: true });
      request.error = shown;
    },
  };
}

/** Our own errors as they are; the body parser's in our words; anything else is a bug and says nothing. */
function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { cause } = (error ?? {}) as { cause?: { package?: string; data?: unknown; message?: string } };
  if (cause?.package === "@middy/http-json-body-parser") {
    const detail = cause.message ?? `the key ${JSON.stringify(cause.data)} is not allowed`;
    return new ApiError("invalid_request", `The body is not valid JSON: ${detail}`);
  }
  return new ApiError("internal", "Something went wrong in the gateway; the request id finds it in the log.", {
    cause: error,
  });
}

function logEntry(error: ApiError, requestId: string): object {
  const causes: string[] = [];
  for (let cause = error.cause; cause instanceof Error && causes.length < 5; cause = cause.cause) {
    causes.push(error.code === "internal" ? (cause.stack ?? cause.message) : `${cause.name}: ${cause.message}`);
  }
  const { code, message } = error;
  return { level: "error", request_id: requestId, code, message, causes };
}

function corsHeaders(cors: ApiOptions["cors"], event: ProxyEvent): Record<string, string> {
  if (!cors) return {};
  const origin = headerOf(event, "origin");
  if (origin === undefined) return {};
  const any = cors.allow_origins.includes("*");
  if (!any && !cors.allow_origins.includes(origin)) return {};
  return {
    "access-control-allow-origin": any ? "*" : origin,
    "access-control-expose-headers": "x-request-id, x-query-id, x-degraded, retry-after",
    ...(!any && { vary: "origin" }),
  };
}

function lowerCase(headers: ProxyResult["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
}
